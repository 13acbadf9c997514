"""Server-drawn charts: scales and ticks, a frame, and marks inside.

Positions are percent of the frame, margins are pixels: charts scale with the page, letters do not.
templates/charts/_chart.html draws and escapes.
"""
