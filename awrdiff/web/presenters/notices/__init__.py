"""Notices, as their page and their JSON say them."""
