package pentarch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// The vectors that all clients share (sdk/vectors).

func vectors[T any](t *testing.T, name string) T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	bytes, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

type shownMessage struct {
	Type string
	Data string
	Code int
}

func TestFrames(t *testing.T) {
	all := vectors[struct {
		Mask   string
		Encode []struct {
			Name    string
			Opcode  byte
			Payload string
			Frame   string
			Repeat  *struct {
				Byte  string
				Times int
			}
			Sha256 string
		}
		Decode []struct {
			Name     string
			Bytes    string
			Messages []shownMessage
			Error    *int
		}
		Accept []struct{ Key, Accept string }
	}](t, "frames.json")
	mask := [4]byte(fromHex(t, all.Mask))
	for _, c := range all.Encode {
		if c.Repeat == nil {
			frame := encodeFrame(c.Opcode, fromHex(t, c.Payload), mask)
			equal(t, c.Name, hex.EncodeToString(frame), c.Frame)
			continue
		}
		payload := bytes.Repeat(fromHex(t, c.Repeat.Byte), c.Repeat.Times)
		sum := sha256.Sum256(encodeFrame(c.Opcode, payload, mask))
		equal(t, c.Name, hex.EncodeToString(sum[:]), c.Sha256)
	}
	for _, c := range all.Accept {
		equal(t, c.Key, acceptOf(c.Key), c.Accept)
	}
	kinds := map[byte]string{opText: "text", opBinary: "binary", opClose: "close", opPing: "ping", opPong: "pong"}
	for _, c := range all.Decode {
		whole := fromHex(t, c.Bytes)
		for name, in := range map[string]io.Reader{
			"whole":        bytes.NewReader(whole),
			"byte by byte": iotest.OneByteReader(bytes.NewReader(whole)),
		} {
			reader := &frameReader{in: bufio.NewReader(in)}
			seen := []shownMessage{}
			var code *int
			for {
				message, err := reader.next()
				var wrong *frameError
				if errors.As(err, &wrong) {
					code = &wrong.code
				}
				if err != nil {
					break
				}
				shown := shownMessage{kinds[message.opcode], hex.EncodeToString(message.payload), message.code}
				if message.opcode == opText {
					shown.Data = string(message.payload)
				}
				seen = append(seen, shown)
			}
			equal(t, c.Name+", "+name, seen, c.Messages)
			equal(t, c.Name+", "+name+", error", code, c.Error)
		}
	}
}

func TestRetries(t *testing.T) {
	all := vectors[struct {
		May []struct {
			Method          string
			Status          int
			Ours            bool
			AfterLostAnswer bool
			RetryAfterS     *float64
			Expect          bool
		}
		Waits []struct {
			Attempt     int
			RetryAfterS *float64
			Random      float64
			ExpectMs    float64
		}
		RetryAfter []struct {
			Header  *string
			NowMs   int64
			ExpectS *float64
		}
	}](t, "retries.json")
	for _, c := range all.May {
		got := mayRetry(refusal{c.Method, c.Status, c.Ours, c.AfterLostAnswer, c.RetryAfterS})
		equal(t, fmt.Sprintf("%+v", c), got, c.Expect)
	}
	for _, c := range all.Waits {
		got := waitBefore(c.Attempt, c.RetryAfterS, c.Random)
		equal(t, fmt.Sprintf("%+v", c), float64(got)/float64(time.Millisecond), c.ExpectMs)
	}
	for _, c := range all.RetryAfter {
		header := ""
		if c.Header != nil {
			header = *c.Header
		}
		equal(t, header, retryAfterOf(header, time.UnixMilli(c.NowMs)), c.ExpectS)
	}
	if len(all.May) == 0 || len(all.Waits) == 0 || len(all.RetryAfter) == 0 {
		t.Error("no vectors")
	}
}

type expectedError struct {
	Kind        string
	Status      int
	Code        string
	Reason      *string
	Message     *string
	Details     map[string]any
	RequestID   *string
	RetryAfterS *float64
	Fields      []FieldFault
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func TestErrors(t *testing.T) {
	all := vectors[struct {
		Cases []struct {
			Name      string
			Status    int
			Body      string
			RequestID *string
			Expect    expectedError
		}
	}](t, "errors.json")
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			got := errorOfAnswer(c.Status, []byte(c.Body), textOf(c.RequestID), nil)
			equal(t, "status", got.Status, c.Expect.Status)
			equal(t, "code", got.Code, c.Expect.Code)
			equal(t, "reason", got.Reason, textOf(c.Expect.Reason))
			equal(t, "message", got.Message, textOf(c.Expect.Message))
			equal(t, "details", got.Details, c.Expect.Details)
			equal(t, "request id", got.RequestID, textOf(c.Expect.RequestID))
			if c.Expect.Fields != nil {
				equal(t, "fields", got.Fields(), c.Expect.Fields)
			}
			if !errors.Is(fmt.Errorf("wrapped: %w", got), codeError(c.Expect.Code)) {
				t.Error("errors.Is does not know the code")
			}
			if errors.Is(got, ErrBadRequest) != (c.Expect.Code == "BAD_REQUEST") {
				t.Error("errors.Is takes one code for another")
			}
		})
	}
	if apiErrorFrom([]byte(`{"error":"x"}`), 400, "", nil) != nil {
		t.Error("an error without a code")
	}
}

func TestStreams(t *testing.T) {
	all := vectors[struct {
		Cases []struct {
			Name   string
			Text   string
			Events []SSEEvent
		}
	}](t, "streams.json")
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			read := func(parts ...[]byte) []SSEEvent {
				var parser SSEParser
				var events []SSEEvent
				for _, part := range parts {
					events = append(events, parser.Push(part)...)
				}
				return events
			}
			data := []byte(c.Text)
			equal(t, "whole", read(data), c.Events)
			var single [][]byte
			for at := range data {
				single = append(single, data[at:at+1])
				equal(t, fmt.Sprintf("cut at %d", at), read(data[:at], data[at:]), c.Events)
			}
			equal(t, "byte by byte", read(single...), c.Events)
		})
	}
}

func TestWebhooks(t *testing.T) {
	all := vectors[struct {
		Cases []struct {
			Name           string
			Secrets        []string
			Headers        map[string]string
			Body           string
			NowS           int64
			SignatureValid bool
		}
	}](t, "webhooks.json")
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			header := http.Header{}
			for name, value := range c.Headers {
				header.Set(name, value)
			}
			verifier := WebhookVerifier{Secrets: c.Secrets, Now: func() time.Time { return time.Unix(c.NowS, 0) }}
			payload, err := verifier.Verify(header, []byte(c.Body))
			switch {
			case c.SignatureValid && json.Valid([]byte(c.Body)):
				if err != nil {
					t.Fatal(err)
				}
				var want WebhookPayload
				if err := json.Unmarshal([]byte(c.Body), &want); err != nil {
					t.Fatal(err)
				}
				equal(t, "payload", *payload, want)
			case !errors.Is(err, ErrWebhook):
				t.Errorf("got %v", err)
			default:
				equal(t, "no JSON", strings.Contains(err.Error(), "no JSON"), c.SignatureValid)
			}
		})
	}
}

func TestPKCEAndLinks(t *testing.T) {
	pkce := vectors[struct {
		Cases []struct{ Verifier, Challenge string }
	}](t, "pkce.json")
	for _, c := range pkce.Cases {
		equal(t, c.Verifier, ChallengeOf(c.Verifier), c.Challenge)
	}
	links := vectors[struct {
		Cases []struct {
			Header *string
			Expect map[string]string
		}
	}](t, "links.json")
	for _, c := range links.Cases {
		name, value := nextQueryOf(textOf(c.Header))
		var got map[string]string
		if name != "" {
			got = map[string]string{name: value}
		}
		equal(t, textOf(c.Header), got, c.Expect)
	}
	if len(pkce.Cases) == 0 || len(links.Cases) == 0 {
		t.Error("no vectors")
	}
}

type playedAnswer struct {
	Lost    bool
	Status  int
	Headers map[string]string
	Body    string
	Cut     bool
}

type seenRequest struct {
	method, target string
	header         http.Header
	body           []byte
}

// player is an http.RoundTripper that plays answers.
type player struct {
	answers  []playedAnswer
	requests []seenRequest
	waitsMs  []float64
}

type cutBody struct {
	io.Reader
	cut bool
}

func (b *cutBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF && b.cut {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (*cutBody) Close() error { return nil }

func (p *player) RoundTrip(request *http.Request) (*http.Response, error) {
	seen := seenRequest{method: request.Method, target: request.URL.RequestURI(), header: request.Header}
	if request.Body != nil {
		seen.body, _ = io.ReadAll(request.Body)
	}
	p.requests = append(p.requests, seen)
	if len(p.answers) == 0 {
		return nil, errors.New("a request more than was expected")
	}
	answer := p.answers[0]
	p.answers = p.answers[1:]
	if answer.Lost {
		return nil, errors.New("socket hang up")
	}
	header := http.Header{}
	for name, value := range answer.Headers {
		header.Set(name, value)
	}
	body := &cutBody{strings.NewReader(answer.Body), answer.Cut}
	return &http.Response{StatusCode: answer.Status, Header: header, Body: body, Request: request}, nil
}

func (p *player) client(t *testing.T, options ...Option) *Client {
	t.Helper()
	options = append(options, WithHTTPClient(&http.Client{Transport: p}), func(t *transport) {
		t.random = func() float64 { return 0 }
		t.sleep = func(_ context.Context, wait time.Duration) error {
			p.waitsMs = append(p.waitsMs, float64(wait)/float64(time.Millisecond))
			return nil
		}
	})
	client, err := New("http://api.invalid", options...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func checkError(t *testing.T, err error, want *expectedError) {
	t.Helper()
	if want == nil {
		if err != nil {
			t.Errorf("got %v", err)
		}
		return
	}
	var api *APIError
	switch {
	case want.Kind == "connection":
		if !errors.Is(err, ErrConnection) {
			t.Errorf("got %v, want a connection error", err)
		}
	case want.Kind == "protocol":
		if !errors.Is(err, ErrProtocol) {
			t.Errorf("got %v, want a protocol error", err)
		}
	case want.Kind == "oauth":
		var oauth *OAuthError
		if !errors.As(err, &oauth) || oauth.Status != want.Status || oauth.Code != want.Code {
			t.Errorf("got %v, want an OAuthError", err)
		}
	case !errors.As(err, &api):
		t.Errorf("got %v, want an APIError", err)
	default:
		equal(t, "status", api.Status, want.Status)
		equal(t, "code", api.Code, want.Code)
		equal(t, "request id", api.RequestID, textOf(want.RequestID))
		equal(t, "retry after", api.RetryAfterS, want.RetryAfterS)
	}
}

func oneKey(t *testing.T, requests []seenRequest, keyed *bool) {
	t.Helper()
	keys := map[string]bool{}
	for _, request := range requests {
		if key := request.header.Get("Idempotency-Key"); request.method == http.MethodPost {
			keys[key] = true
		} else {
			equal(t, "key of "+request.method, key, "")
		}
	}
	if isKeyed := keyed == nil || *keyed; len(keys) > 1 || keys[""] == isKeyed && len(keys) == 1 {
		t.Errorf("keys: %v", keys)
	}
}

type fixedSource struct{ token string }

func (s fixedSource) Token(context.Context, TokenContext) (string, error) { return s.token, nil }
func (s fixedSource) Refused(string) bool                                 { return false }

func TestInputs(t *testing.T) {
	all := vectors[struct {
		BaseURLs struct{ Taken, Refused []string }
		Tokens   struct {
			Sent    []struct{ Given, As string }
			Refused []string
		}
		Paths struct{ Refused []string }
	}](t, "inputs.json")
	refused := func(what string, err error) {
		t.Helper()
		if err == nil || errors.Is(err, ErrConnection) || strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), "secret") {
			t.Errorf("%q: %v", what, err)
		}
	}
	get := func(client *Client, path string) error {
		_, err := getValue[map[string]bool](context.Background(), client.System.http, call{method: "GET", path: path}, nil)
		return err
	}
	for _, base := range all.BaseURLs.Taken {
		if _, err := New(base); err != nil {
			t.Errorf("%q: %v", base, err)
		}
	}
	for _, base := range append(all.BaseURLs.Refused, "") {
		_, err := New(base)
		refused(base, err)
	}
	answer := playedAnswer{Status: 200, Headers: map[string]string{"x-api-version": "2.0.0"}, Body: `{"ok":true}`}
	for _, c := range all.Tokens.Sent {
		play := &player{answers: []playedAnswer{answer}}
		if err := get(play.client(t, WithToken(c.Given)), "/api/v1/agents"); err != nil {
			t.Fatal(err)
		}
		equal(t, "authorization", play.requests[0].header.Get("Authorization"), "Bearer "+c.As)
	}
	for _, token := range all.Tokens.Refused {
		for _, auth := range []Option{WithToken(token), WithAuth(fixedSource{token})} {
			play := &player{}
			refused(token, get(play.client(t, auth), "/api/v1/agents"))
			equal(t, "requests", len(play.requests), 0)
		}
	}
	for _, path := range all.Paths.Refused {
		play := &player{}
		refused(path, get(play.client(t), path))
		equal(t, "requests", len(play.requests), 0)
	}
}

func TestExchanges(t *testing.T) {
	all := vectors[struct {
		Cases []struct {
			Name       string
			Surface    string
			Token      *string
			MaxRetries int
			Call       struct {
				Method, Path string
				Query        map[string]any
				JSON         any
			}
			Answers []playedAnswer
			Expect  struct {
				Requests []struct {
					Method, Target string
					JSON           any
				}
				Keyed   *bool
				WaitsMs []float64
				Error   *expectedError
			}
		}
	}](t, "exchanges.json")
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			play := &player{answers: c.Answers, waitsMs: []float64{}}
			var told []LogEntry
			options := []Option{
				WithMaxRetries(c.MaxRetries),
				WithLog(func(entry LogEntry) { told = append(told, entry) }),
			}
			if c.Token != nil {
				options = append(options, WithToken(*c.Token))
			}
			if c.Surface == "v2" {
				options = append(options, WithV2())
			}
			client := play.client(t, options...)
			made := call{method: c.Call.Method, path: c.Call.Path, json: c.Call.JSON, query: map[string][]string{}}
			for name, value := range c.Call.Query {
				switch value := value.(type) {
				case nil:
				case []any:
					for _, one := range value {
						made.query.Add(name, fmt.Sprint(one))
					}
				default:
					made.query.Set(name, fmt.Sprint(value))
				}
			}
			got, err := getValue[map[string]bool](context.Background(), client.System.http, made, nil)
			checkError(t, err, c.Expect.Error)
			if err == nil {
				equal(t, "result", got, map[string]bool{"ok": true})
			}
			shown := fmt.Sprintf("%v %#v %+v %+v", err, err, told, client)
			if c.Token != nil && strings.Contains(shown, *c.Token) {
				t.Errorf("the token shows: %s", shown)
			}
			equal(t, "requests", len(play.requests), len(c.Expect.Requests))
			for n, request := range play.requests {
				want := c.Expect.Requests[n]
				equal(t, "method", request.method, want.Method)
				if !sameTarget(request.target, want.Target) {
					t.Errorf("target: got %s, want %s", request.target, want.Target)
				}
				var body any
				if len(request.body) > 0 {
					if err := json.Unmarshal(request.body, &body); err != nil {
						t.Fatal(err)
					}
				}
				equal(t, "body", body, want.JSON)
				authorization := ""
				if c.Token != nil {
					authorization = "Bearer " + *c.Token
				}
				equal(t, "authorization", request.header.Get("Authorization"), authorization)
			}
			oneKey(t, play.requests, c.Expect.Keyed)
			equal(t, "waits", play.waitsMs, c.Expect.WaitsMs)
			equal(t, "log entries", len(told), len(play.requests))
		})
	}
}

// url.Values puts the names into order, which means the same.
func sameTarget(got, want string) bool {
	a, b, _ := strings.Cut(got, "?")
	c, d, _ := strings.Cut(want, "?")
	left, right := strings.Split(b, "&"), strings.Split(d, "&")
	count := map[string]int{}
	for _, part := range left {
		count[part]++
	}
	for _, part := range right {
		count[part]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return a == c
}

func TestTokens(t *testing.T) {
	all := vectors[struct {
		Cases []struct {
			Name  string
			Steps []struct {
				NowS     int64
				Answers  []playedAnswer
				Requests []struct {
					Method, Target string
					JSON           any
					Authorization  *string
				}
				Error *expectedError
			}
		}
	}](t, "tokens.json")
	secret := regexp.MustCompile("at-|rt-|pw-")
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var now int64
			play := &player{}
			client := play.client(t, WithAuth(PasswordLogin("a@b.test", "pw-secret")), func(t *transport) {
				t.now = func() time.Time { return time.Unix(now, 0) }
			})
			for _, step := range c.Steps {
				now = step.NowS
				play.answers, play.requests = step.Answers, nil
				made := call{method: http.MethodGet, path: "/api/v1/agents"}
				_, err := getValue[map[string]bool](context.Background(), client.System.http, made, nil)
				checkError(t, err, step.Error)
				if shown := fmt.Sprintf("%v %#v %#v", err, err, client); secret.MatchString(shown) {
					t.Errorf("a secret shows: %s", shown)
				}
				equal(t, "requests", len(play.requests), len(step.Requests))
				for n, request := range play.requests {
					want := step.Requests[n]
					equal(t, "method", request.method, want.Method)
					equal(t, "target", request.target, want.Target)
					equal(t, "authorization", request.header.Get("Authorization"), textOf(want.Authorization))
					var body any
					_ = json.Unmarshal(request.body, &body)
					equal(t, "body", body, want.JSON)
				}
			}
		})
	}
}

func TestChats(t *testing.T) {
	all := vectors[struct {
		Cases []struct {
			Name    string
			Store   *bool
			Answers []playedAnswer
			Expect  struct {
				Requests []struct {
					Method, Target string
					LastEventID    *string
				}
				IDs     []string
				Text    *string
				Error   *expectedError
				WaitsMs []float64
			}
		}
	}](t, "chats.json")
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			play := &player{answers: c.Answers, waitsMs: []float64{}}
			client := play.client(t)
			ids, text := []string{}, ""
			var failure error
			for event, err := range client.Chat.Stream(context.Background(), ChatRequest{Message: "Hi", Store: c.Store}) {
				if err != nil {
					failure = err
					break
				}
				ids = append(ids, event.ID)
				text += event.Text
			}
			checkError(t, failure, c.Expect.Error)
			equal(t, "ids", ids, c.Expect.IDs)
			if c.Expect.Text != nil {
				equal(t, "text", text, *c.Expect.Text)
			}
			equal(t, "requests", len(play.requests), len(c.Expect.Requests))
			for n, request := range play.requests {
				equal(t, "method", request.method, c.Expect.Requests[n].Method)
				equal(t, "target", request.target, c.Expect.Requests[n].Target)
				equal(t, "last event", request.header.Get("Last-Event-ID"), textOf(c.Expect.Requests[n].LastEventID))
			}
			oneKey(t, play.requests, c.Store)
			equal(t, "waits", play.waitsMs, c.Expect.WaitsMs)
		})
	}
}

func TestNullable(t *testing.T) {
	type body struct {
		Title *Nullable[string] `json:"title,omitempty"`
	}
	for want, value := range map[string]body{
		`{}`:             {},
		`{"title":null}`: {Null[string]()},
		`{"title":"x"}`:  {Some("x")},
	} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "text", string(text), want)
	}
}

func TestWith(t *testing.T) {
	var seen []*http.Request
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r)
		w.Header().Set("X-API-Version", "v1")
		if len(seen) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"status":"ok","version":"2.0.0","uptime_s":1}`)
	})
	server := httptest.NewServer(answers)
	defer server.Close()
	client, err := New(server.URL, WithToken("ptk_one"), WithMaxRetries(0), WithHeader("X-A", "1"))
	if err != nil {
		t.Fatal(err)
	}
	client.transport.sleep = func(context.Context, time.Duration) error { return nil }
	if _, err := client.With(WithMaxRetries(1), WithHeader("X-B", "2")).System.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.System.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	copied, own := seen[1].Header, seen[2].Header
	if copied.Get("Authorization") != "Bearer ptk_one" || copied.Get("X-A") != "1" || copied.Get("X-B") != "2" {
		t.Errorf("the copy sent %v", copied)
	}
	if own.Get("X-B") != "" {
		t.Error("the first client has the header of its copy")
	}
}
