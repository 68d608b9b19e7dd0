package pentarch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"
)

// ChatEvent is one event of an answer as it is written. Data is as it came; the field that fits Event is set as well.
type ChatEvent struct {
	ID string
	// Event is run.started, agent.selected, message.delta, tool.started, tool.completed, proposal.created,
	// proposal.decided or message.completed.
	Event string
	Data  json.RawMessage
	// Text is the piece of a message.delta.
	Text string
	// Tool belongs to tool.started and tool.completed.
	Tool *ToolCall
	// Proposal belongs to proposal.created and proposal.decided.
	Proposal *Proposal
	// Answer belongs to message.completed, the last event.
	Answer *ChatResponse
}

// A server sends a comment every 15 s; a connection silent for longer than this is dead.
const silence = 60 * time.Second

var eventID = regexp.MustCompile(`^(.+):(\d+)$`)

type chatStream struct {
	t        *transport
	first    call
	options  *callOptions
	retries  int
	lastID   string
	runID    string
	lastN    int
	failures int
}

// stream goes over any number of broken connections. An error event ends it with its *APIError. Leaving the loop closes
// the connection; the run itself goes on at the server (Chat.CancelRun ends it).
func (t *transport) stream(ctx context.Context, c call, options []CallOption) iter.Seq2[ChatEvent, error] {
	return func(yield func(ChatEvent, error) bool) {
		o := collect(options)
		// Before the first event the request itself is repeated: its key names the run, so no second one starts.
		o.idempotencyKey = keyOf(c, o)
		if o.timeout == 0 {
			o.timeout = silence
		}
		s := &chatStream{t: t, first: c, options: o, retries: t.maxRetries}
		if o.maxRetries != nil {
			s.retries = *o.maxRetries
		}
		for {
			done, err := s.connection(ctx, yield)
			if done {
				return
			}
			if err != nil && !errors.Is(err, ErrConnection) && !errors.Is(err, ErrTimeout) {
				yield(ChatEvent{}, err)
				return
			}
			s.failures++
			// Without a key nothing names the run before its first event: a second request would be a second run.
			if s.failures > s.retries || (s.lastID == "" && o.idempotencyKey == "") {
				if err == nil {
					err = fmt.Errorf("%w: the stream ended before its last event", ErrConnection)
				}
				yield(ChatEvent{}, err)
				return
			}
			if err := t.sleep(ctx, waitBefore(s.failures-1, nil, t.random())); err != nil {
				yield(ChatEvent{}, err)
				return
			}
		}
	}
}

func (s *chatStream) call() call {
	c := s.first
	if s.lastID != "" {
		c = call{method: http.MethodGet, path: "/api/v1/chat/runs/" + url.PathEscape(s.runID) + "/stream"}
		c.header = http.Header{"Last-Event-Id": {s.lastID}}
	}
	c.accept = "text/event-stream"
	return c
}

// connection reads one connection to its end. done: the last event came, or the caller has enough.
func (s *chatStream) connection(ctx context.Context, yield func(ChatEvent, error) bool) (done bool, err error) {
	got, err := s.t.send(ctx, s.call(), s.options)
	if err != nil {
		return false, err
	}
	defer got.close()
	var parser SSEParser
	buffer := make([]byte, 32*1024)
	for {
		n, readErr := got.Body.Read(buffer)
		if n > 0 {
			got.limit.touch()
		}
		for _, raw := range parser.Push(buffer[:n]) {
			event, fresh, err := s.event(raw)
			if err != nil {
				return false, err
			}
			if !fresh {
				continue
			}
			if !yield(event, nil) || event.Event == "message.completed" {
				return true, nil
			}
		}
		if errors.Is(readErr, io.EOF) {
			return false, nil
		}
		if readErr != nil {
			return false, got.limit.failure(ctx, readErr, got.token)
		}
	}
}

func (s *chatStream) event(raw SSEEvent) (ChatEvent, bool, error) {
	if match := eventID.FindStringSubmatch(raw.ID); match != nil {
		n, _ := strconv.Atoi(match[2])
		// What was seen already may come again.
		if s.lastID != "" && match[1] == s.runID && n <= s.lastN {
			return ChatEvent{}, false, nil
		}
		s.lastID, s.runID, s.lastN = raw.ID, match[1], n
	}
	s.failures = 0
	data := json.RawMessage(raw.Data)
	if !json.Valid(data) {
		return ChatEvent{}, false, fmt.Errorf("%w: event %s: the data is no JSON", ErrProtocol, raw.ID)
	}
	if raw.Event == "error" {
		if failure := apiErrorFrom(data, 0, "", nil); failure != nil {
			return ChatEvent{}, false, failure
		}
		return ChatEvent{}, false, fmt.Errorf("%w: an error event without an error", ErrProtocol)
	}
	event := ChatEvent{ID: raw.ID, Event: raw.Event, Data: data}
	if err := event.decode(); err != nil {
		return ChatEvent{}, false, fmt.Errorf("%w: event %s: %v", ErrProtocol, raw.ID, err)
	}
	return event, true, nil
}

func (e *ChatEvent) decode() error {
	switch e.Event {
	case "message.delta":
		var delta struct {
			Content string `json:"content"`
		}
		err := json.Unmarshal(e.Data, &delta)
		e.Text = delta.Content
		return err
	case "tool.started", "tool.completed":
		return json.Unmarshal(e.Data, &e.Tool)
	case "proposal.created", "proposal.decided":
		return json.Unmarshal(e.Data, &e.Proposal)
	case "message.completed":
		return json.Unmarshal(e.Data, &e.Answer)
	}
	return nil
}

// Final reads a stream to its end and gives the whole answer.
func Final(events iter.Seq2[ChatEvent, error]) (*ChatResponse, error) {
	for event, err := range events {
		if err != nil {
			return nil, err
		}
		if event.Answer != nil {
			return event.Answer, nil
		}
	}
	return nil, fmt.Errorf("%w: the stream ended without an answer", ErrProtocol)
}
