"""The JSON read API of a site: what visitors see, as data. Its OpenAPI document is made from the site's types."""
