// A receiver of OTLP over HTTP around OpenTelemetry's own reader. It prints its address, then what it understood of each
// request as OTLP's JSON, one a line.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

const contentType = "application/x-protobuf"

func receive(answer http.ResponseWriter, sent *http.Request) {
	if sent.Header.Get("Content-Type") != contentType {
		http.Error(answer, "only "+contentType, http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(sent.Body)
	if err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	request := ptraceotlp.NewExportRequest()
	if err := request.UnmarshalProto(body); err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	marshaler := ptrace.JSONMarshaler{}
	line, err := marshaler.MarshalTraces(request.Traces())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(line))
	answer.Header().Set("Content-Type", contentType)
}

func main() {
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	http.HandleFunc("POST /v1/traces", receive)
	log.Fatal(http.Serve(listener, nil))
}
