"""What stands on the page of a comparison or report around its sections, and on the first page."""
