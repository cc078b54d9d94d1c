"""What an operator does beside the service: back it up, restore it."""
