"""Publishing and unpublishing at a time: each is approved when it is scheduled, and done by a scheduled call."""
