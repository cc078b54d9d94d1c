"""From named columns to the float64 matrix that trainers and scorers read."""
