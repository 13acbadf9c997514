"""Page of a comparison or report, and home page."""
