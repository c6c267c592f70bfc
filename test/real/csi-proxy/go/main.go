// A client and a server of the form that Go programs have on the pipes of csi-proxy: the channel is dialled on the path of
// the pipe, which becomes the authority of its calls.
//
//	program call PATH METHOD COUNT RESULT    COUNT empty calls, one after another; RESULT gets "ok" or why not
//	program serve PATH                       answers every call with what it was sent
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc"
)

// Messages as bytes: what is in them is nobody's business here.
type asIs struct{}

func (asIs) Marshal(v interface{}) ([]byte, error) { return *(v.(*[]byte)), nil }
func (asIs) Unmarshal(data []byte, v interface{}) error {
	*(v.(*[]byte)) = append([]byte(nil), data...)
	return nil
}
func (asIs) Name() string   { return "proto" }
func (asIs) String() string { return "proto" }

func call(path, method string, count int) error {
	dialer := func(ctx context.Context, _ string) (net.Conn, error) { return dial(ctx, path) }
	conn, err := grpc.Dial(path, grpc.WithInsecure(), grpc.WithContextDialer(dialer))
	if err != nil {
		return err
	}
	defer conn.Close()
	for i := 0; i < count; i++ {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		in, out := []byte{}, []byte{}
		err := conn.Invoke(ctx, method, &in, &out, grpc.ForceCodec(asIs{}))
		cancel()
		if err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}

func serve(path string) error {
	listener, err := listen(path)
	if err != nil {
		return err
	}
	echo := func(_ interface{}, stream grpc.ServerStream) error {
		message := []byte{}
		if err := stream.RecvMsg(&message); err != nil {
			return err
		}
		return stream.SendMsg(&message)
	}
	return grpc.NewServer(grpc.UnknownServiceHandler(echo), grpc.CustomCodec(asIs{})).Serve(listener)
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		fmt.Fprintln(os.Stderr, serve(os.Args[2]))
		os.Exit(1)
	}
	count, _ := strconv.Atoi(os.Args[4])
	result := "ok"
	if err := call(os.Args[2], os.Args[3], count); err != nil {
		result = err.Error()
	}
	if err := os.WriteFile(os.Args[5], []byte(result), 0o600); err != nil {
		os.Exit(1)
	}
}
