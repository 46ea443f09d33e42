"""The ASGI application: the API and the web pages under one roof."""
