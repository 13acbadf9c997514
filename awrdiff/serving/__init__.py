"""What bin/serve is made of: its folder, address and child processes, and the web server that buffers slow clients."""
