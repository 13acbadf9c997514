"""Server-drawn charts; templates/charts/_chart.html draws and escapes.

Positions are percent of the frame, margins pixels: charts scale with the page, letters do not.
"""
