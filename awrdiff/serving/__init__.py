"""Parts of bin/serve: folder, address, child processes, and a web server that buffers slow clients."""
