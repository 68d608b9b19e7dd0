// Rounds of sequential calls through the Go client and through bare net/http; times in ms as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"

	pentarch "github.com/pentarch/pentarch/sdk/go/v2"
)

func number(name string) int {
	value, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return value
}

func timed(calls int, call func() error) float64 {
	started := time.Now()
	for range calls {
		if err := call(); err != nil {
			log.Fatal(err)
		}
	}
	return float64(time.Since(started).Microseconds()) / 1000
}

func main() {
	address, key := os.Getenv("PENTARCH_URL"), os.Getenv("PENTARCH_API_KEY")
	calls, rounds := number("CALLS"), number("ROUNDS")
	client, err := pentarch.New(address, pentarch.WithToken(key))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	library := func() error {
		_, err := client.Agents.Get(ctx, "zeus")
		return err
	}
	bare := func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/api/v1/agents/zeus", nil)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		var agent pentarch.AgentStatus
		return json.Unmarshal(body, &agent)
	}
	timed(calls, bare)
	timed(calls, library)
	var bareMs, libraryMs []float64
	for range rounds {
		bareMs = append(bareMs, timed(calls, bare))
		libraryMs = append(libraryMs, timed(calls, library))
	}
	text, err := json.Marshal(map[string][]float64{"bareMs": bareMs, "libraryMs": libraryMs})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}
