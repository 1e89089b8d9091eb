"""The documents of the REST API: what the server writes and reads as JSON, in camel case.

OpenAPI and the types of the console are generated from them.
"""
