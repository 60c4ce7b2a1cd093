"""Thin modules for other packages, each imported by itself.

``starlette``  a response for Starlette and FastAPI that sends a provider's stream as midstream's events
``langchain``  an output parser that yields the value of a JSON text while it arrives
"""
