//go:build !windows

package main

import (
	"context"
	"net"
)

func dial(ctx context.Context, path string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "unix", path)
}

func listen(path string) (net.Listener, error) { return net.Listen("unix", path) }
