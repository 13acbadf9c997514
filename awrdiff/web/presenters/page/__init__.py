"""The page of a comparison or report around its sections, and the home page."""
