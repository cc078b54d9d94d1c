"""Choose among several trainers, parameters and rules on folds of the training rows."""
