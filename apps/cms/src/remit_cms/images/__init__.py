"""Images: uploads made safe, their renditions, where they are shown, and the operations on them."""
