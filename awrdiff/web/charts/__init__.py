"""What every chart that the server draws is made of: scales and ticks, a frame around them, marks inside.

Places are percent of the frame, whose margins are pixels: a chart is as wide as its page, its letters as large as they
are. templates/charts/_chart.html draws it, and escapes.
"""
