"""What a person sees and does: runs, conversations and questions, as one principal may."""
