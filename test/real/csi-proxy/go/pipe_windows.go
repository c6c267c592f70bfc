package main

import (
	"context"
	"net"

	"github.com/Microsoft/go-winio"
)

func dial(ctx context.Context, path string) (net.Conn, error) { return winio.DialPipeContext(ctx, path) }

func listen(path string) (net.Listener, error) { return winio.ListenPipe(path, nil) }
