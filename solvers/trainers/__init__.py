"""What scikit-learn users see: estimators that fill the engines below."""
