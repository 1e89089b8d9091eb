"""The task, once for each framework, written as its documentation recommends."""
