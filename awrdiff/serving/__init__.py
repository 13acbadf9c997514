"""Parts of bin/serve: folder, address, child processes, web server."""
