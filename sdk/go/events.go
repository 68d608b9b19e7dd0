package pentarch

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync"
	"time"
)

// LiveEvent is what happened, as the WebSocket at /v2/ws tells it (contract, section 12).
type LiveEvent struct {
	// ID is empty for what is no event of a record, such as ready.
	ID      string
	Type    string
	Payload json.RawMessage
}

const (
	wsUnauthorized = 4401
	wsForbidden    = 4403
	// The server pings every 30 s; a connection silent for longer than this is dead.
	wsSilence = 75 * time.Second
	wsConnect = 30 * time.Second
	// Less than a token source takes, so that it has a new one by then.
	renewBefore = 50 * time.Second
	renewPart   = 12
)

// Events gives events as they happen, over a WebSocket that connects again by itself, until the context ends or the
// loop is left. topics narrow what is sent: conversations, runs, proposals, tasks, documents, agents, costs,
// notifications; none means all. What was missed between two connections is replayed; where the server cannot (the
// payload of ready then has replay.complete false), read the records anew.
//
// It ends with an error: that of the context, ErrUnauthorized when the token is refused and no fresh one helps,
// ErrConnection when no connection succeeds.
func (c *Client) Events(ctx context.Context, topics ...string) iter.Seq2[LiveEvent, error] {
	return func(yield func(LiveEvent, error) bool) {
		live := &liveEvents{t: c.transport, topics: topics}
		for {
			code, err := live.connection(ctx, yield)
			if errors.Is(err, errLeft) {
				return
			}
			if err == nil && ctx.Err() != nil {
				err = ctx.Err()
			}
			if err == nil {
				err = live.wait(ctx, code)
			}
			if err != nil {
				yield(LiveEvent{}, err)
				return
			}
		}
	}
}

// errLeft: the caller has enough.
var errLeft = errors.New("left")

// liveEvents is what outlives a connection.
type liveEvents struct {
	t        *transport
	topics   []string
	lastID   string
	failures int
	// Tokens that were refused since a connection last worked, and whether a new one can be had.
	refusals int
	renewed  bool
}

// wait sleeps until the next try; an error when there is none.
func (l *liveEvents) wait(ctx context.Context, code int) error {
	l.failures++
	refused := code == wsUnauthorized || code == wsForbidden
	if refused {
		l.refusals++
	}
	if refused && !(code == wsUnauthorized && l.renewed && l.refusals == 1) {
		status, name := 401, ErrUnauthorized
		if code == wsForbidden {
			status, name = 403, ErrForbidden
		}
		message := fmt.Sprintf("the event connection was refused (%d)", code)
		return &APIError{status, string(name), "", message, map[string]any{}, "", nil}
	}
	if l.failures > l.t.maxRetries {
		return fmt.Errorf("%w: no event connection (%d)", ErrConnection, code)
	}
	return l.t.sleep(ctx, waitBefore(l.failures-1, nil, l.t.random()))
}

// socket is one open connection; writes come from its reader and from the renewal of the token.
type socket struct {
	conn  io.ReadWriteCloser
	mutex sync.Mutex
}

func (s *socket) write(opcode byte, payload []byte) {
	var mask [4]byte
	_, _ = rand.Read(mask[:])
	s.mutex.Lock()
	defer s.mutex.Unlock()
	// Where it cannot be written, the reader learns of the end.
	_, _ = s.conn.Write(encodeFrame(opcode, payload, mask))
}

func (s *socket) send(kind string, payload map[string]any) {
	text, _ := json.Marshal(map[string]any{"type": kind, "payload": payload})
	s.write(opText, text)
}

// open makes the upgrade through the client's own *http.Client (net/http keeps such requests on HTTP/1.1). code is a
// close code where the server refused.
func (l *liveEvents) open(ctx context.Context) (conn io.ReadWriteCloser, code int, err error) {
	var random [16]byte
	_, _ = rand.Read(random[:])
	key := base64.StdEncoding.EncodeToString(random[:])
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.t.baseURL+"/v2/ws", nil)
	if err != nil {
		return nil, 0, err
	}
	merge(request.Header, l.t.header)
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Connection", "Upgrade")
	request.Header.Set("Upgrade", "websocket")
	request.Header.Set("Sec-WebSocket-Key", key)
	request.Header.Set("Sec-WebSocket-Version", "13")
	response, err := l.t.client.Do(request)
	if err != nil {
		return nil, closeAbnormal, nil
	}
	conn, both := response.Body.(io.ReadWriteCloser)
	if response.StatusCode == http.StatusSwitchingProtocols && both &&
		response.Header.Get("Sec-WebSocket-Accept") == acceptOf(key) {
		return conn, 0, nil
	}
	_ = response.Body.Close()
	switch response.StatusCode {
	case http.StatusUnauthorized:
		return nil, wsUnauthorized, nil
	case http.StatusForbidden:
		return nil, wsForbidden, nil
	}
	return nil, closeAbnormal, nil
}

func (l *liveEvents) token(ctx context.Context) (string, error) {
	return l.t.source.Token(ctx, TokenContext{BaseURL: l.t.baseURL, Client: l.t.client, Now: l.t.now()})
}

func (l *liveEvents) missed(payload map[string]any) map[string]any {
	if l.lastID != "" {
		payload["last_event_id"] = l.lastID
	}
	return payload
}

// connection reads one connection to its end and gives its close code.
func (l *liveEvents) connection(ctx context.Context, yield func(LiveEvent, error) bool) (int, error) {
	token, err := l.token(ctx)
	if err != nil {
		return 0, err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := time.AfterFunc(wsConnect, cancel)
	conn, code, err := l.open(inner)
	limit.Stop()
	if err != nil || conn == nil {
		return code, err
	}
	s := &socket{conn: conn}
	defer func() { _ = conn.Close() }()
	// A read that waits ends when the connection is closed: by the context, or after a silence.
	stop := context.AfterFunc(inner, func() { _ = conn.Close() })
	defer stop()
	silence := time.AfterFunc(wsSilence, func() { _ = conn.Close() })
	defer silence.Stop()

	narrowed := len(l.topics) == 0
	if token != "" {
		// As a message: an address would end up in logs.
		payload := map[string]any{"token": token}
		if narrowed {
			payload = l.missed(payload)
		}
		s.send("auth", payload)
	}
	renewal := newRenewal(inner, l, s, token)
	defer renewal.stop()

	reader := &frameReader{in: bufio.NewReader(conn)}
	for {
		message, err := reader.next()
		silence.Reset(wsSilence)
		var wrong *frameError
		switch {
		case errors.As(err, &wrong):
			s.write(opClose, closePayload(wrong.code))
			return wrong.code, nil
		case err != nil:
			return closeAbnormal, nil
		case message.opcode == opPing:
			s.write(opPong, message.payload)
			continue
		case message.opcode == opClose:
			s.write(opClose, closePayload(closeNormal))
			if message.code == wsUnauthorized {
				// A source that can gives a new one at the next try.
				l.renewed = l.t.source.Refused(renewal.current())
			}
			return message.code, nil
		case message.opcode != opText:
			continue
		}
		event, known := eventOf(message.payload)
		if !known {
			continue
		}
		if event.Type == "ready" {
			renewal.plan(event.Payload)
			if !narrowed {
				// Answered with a ready of its own, which is the one that the caller sees.
				narrowed = true
				s.send("subscribe", l.missed(map[string]any{"topics": l.topics}))
				continue
			}
			l.ready(event.Payload)
		}
		if !narrowed {
			continue
		}
		if event.ID != "" {
			l.lastID = event.ID
		}
		if !yield(event, nil) {
			s.write(opClose, closePayload(closeNormal))
			return 0, errLeft
		}
	}
}

func (l *liveEvents) ready(payload json.RawMessage) {
	l.failures = 0
	l.refusals = 0
	var body struct {
		LastEventID string `json:"last_event_id"`
	}
	if json.Unmarshal(payload, &body) == nil && l.lastID == "" {
		l.lastID = body.LastEventID
	}
}

func eventOf(text []byte) (LiveEvent, bool) {
	var message struct {
		ID      *string         `json:"id"`
		Type    string          `json:"type"`
		Payload json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(text, &message) != nil || message.Type == "" {
		return LiveEvent{}, false
	}
	event := LiveEvent{Type: message.Type, Payload: message.Payload}
	if message.ID != nil {
		event.ID = *message.ID
	}
	return event, true
}

// renewal hands a fresh token in before the present one runs out, so that the connection goes on.
type renewal struct {
	ctx   context.Context
	l     *liveEvents
	s     *socket
	mutex sync.Mutex
	token string
	timer *time.Timer
}

func newRenewal(ctx context.Context, l *liveEvents, s *socket, token string) *renewal {
	return &renewal{ctx: ctx, l: l, s: s, token: token}
}

func (r *renewal) current() string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.token
}

// plan reads when the token of a ready runs out.
func (r *renewal) plan(payload json.RawMessage) {
	var body struct {
		ExpiresAt *time.Time `json:"expires_at"`
	}
	if json.Unmarshal(payload, &body) != nil || body.ExpiresAt == nil {
		return
	}
	left := body.ExpiresAt.Sub(r.l.t.now())
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
	r.timer = time.AfterFunc(left-min(renewBefore, max(0, left/renewPart)), r.renew)
}

func (r *renewal) renew() {
	fresh, err := r.l.token(r.ctx)
	if err != nil || fresh == "" {
		return
	}
	r.mutex.Lock()
	known := r.token == fresh
	r.token = fresh
	r.mutex.Unlock()
	if !known {
		r.s.send("auth", map[string]any{"token": fresh})
	}
}

func (r *renewal) stop() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
}
