package pentarch

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

const (
	usualTimeout = 60 * time.Second
	slowTimeout  = 600 * time.Second
	hidden       = "[redacted]"
)

// transport carries out one call: address, token, time limit, retries, errors.
type transport struct {
	baseURL    string
	client     *http.Client
	source     TokenSource
	v2         bool
	timeout    time.Duration
	maxRetries int
	header     http.Header
	log        func(LogEntry)
	sleep      func(context.Context, time.Duration) error
	random     func() float64
	now        func() time.Time
}

// rawBody is a body that is no JSON; open is called once for each try.
type rawBody struct {
	contentType string
	size        int64
	open        func() (io.Reader, error)
}

func textBody(contentType, text string) *rawBody {
	return &rawBody{contentType, int64(len(text)), func() (io.Reader, error) { return strings.NewReader(text), nil }}
}

type call struct {
	method string
	path   string
	query  url.Values
	json   any
	raw    *rawBody
	accept string
	slow   bool
	header http.Header
}

// answer is a success whose body is still to be read; close ends its time limit.
type answer struct {
	*http.Response
	limit *limit
	token string
}

func (a *answer) close() {
	a.limit.stop()
	_ = a.Body.Close()
}

// limit cancels a try when its time is up, and knows that it did.
type limit struct {
	timer  *time.Timer
	length time.Duration
	cancel context.CancelFunc
	passed atomic.Bool
}

func newLimit(ctx context.Context, length time.Duration) (context.Context, *limit) {
	inner, cancel := context.WithCancel(ctx)
	l := &limit{length: length, cancel: cancel}
	l.timer = time.AfterFunc(length, func() {
		l.passed.Store(true)
		cancel()
	})
	return inner, l
}

func (l *limit) touch() { l.timer.Reset(l.length) }

func (l *limit) stop() {
	l.timer.Stop()
	l.cancel()
}

// failure turns an error of net/http into one of ours: the caller's context first, then the time limit.
func (l *limit) failure(ctx context.Context, err error, token string) error {
	var oauth *OAuthError
	switch {
	case errors.As(err, &oauth):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case l.passed.Load():
		return fmt.Errorf("%w (%v)", ErrTimeout, l.length)
	}
	text := err.Error()
	// *url.Error repeats the address, which is the caller's own affair.
	var address *url.Error
	if errors.As(err, &address) {
		text = address.Err.Error()
	}
	return fmt.Errorf("%w: %s", ErrConnection, redact(text, token))
}

func redact(text, token string) string {
	if token == "" {
		return text
	}
	return strings.ReplaceAll(text, token, hidden)
}

// newKey is a random UUID (RFC 9562, version 4).
func newKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func merge(target http.Header, more ...http.Header) {
	for _, header := range more {
		for name, values := range header {
			target[name] = values
		}
	}
}

func (t *transport) request(
	ctx context.Context, c call, target string, o *callOptions, token, key string,
) (*http.Request, error) {
	var body io.Reader
	size := int64(0)
	contentType := ""
	if c.json != nil {
		text, err := json.Marshal(c.json)
		if err != nil {
			return nil, err
		}
		body, size, contentType = bytes.NewReader(text), int64(len(text)), "application/json"
	} else if c.raw != nil {
		opened, err := c.raw.open()
		if err != nil {
			return nil, err
		}
		body, size, contentType = opened, c.raw.size, c.raw.contentType
	}
	request, err := http.NewRequestWithContext(ctx, c.method, target, body)
	if err != nil {
		return nil, err
	}
	request.ContentLength = size
	if c.accept == "" {
		c.accept = "application/json"
	}
	request.Header.Set("Accept", c.accept)
	request.Header.Set("User-Agent", userAgent)
	merge(request.Header, t.header, c.header, o.header)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	if o.requestID != "" {
		request.Header.Set("X-Request-ID", o.requestID)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	return request, nil
}

// errRequest marks what is wrong with the call itself: no try would help.
type errRequest struct{ error }

func (t *transport) try(
	ctx context.Context, c call, target string, o *callOptions, key string, length time.Duration,
) (*answer, string, error) {
	inner, limit := newLimit(ctx, length)
	token, err := t.source.Token(inner, TokenContext{BaseURL: t.baseURL, Client: t.client, Now: t.now()})
	if err != nil {
		limit.stop()
		return nil, "", limit.failure(ctx, err, "")
	}
	if token, err = checkedToken(token); err != nil {
		limit.stop()
		return nil, "", errRequest{err}
	}
	request, err := t.request(inner, c, target, o, token, key)
	if err != nil {
		limit.stop()
		return nil, token, errRequest{err}
	}
	response, err := t.client.Do(request)
	if err != nil {
		limit.stop()
		return nil, token, limit.failure(ctx, err, token)
	}
	return &answer{response, limit, token}, token, nil
}

// keyOf is the Idempotency-Key of a POST; empty for a temporary chat, of which the server keeps no answer to repeat.
func keyOf(c call, o *callOptions) string {
	if o.idempotencyKey != "" {
		return o.idempotencyKey
	}
	var body struct {
		Store *bool `json:"store"`
	}
	if raw, err := json.Marshal(c.json); err == nil && json.Unmarshal(raw, &body) == nil && body.Store != nil && !*body.Store {
		return ""
	}
	return newKey()
}

func (t *transport) send(ctx context.Context, c call, o *callOptions) (*answer, error) {
	path := c.path
	if rest, ok := strings.CutPrefix(path, "/api/v1/"); ok && t.v2 {
		path = "/v2/" + rest
	}
	for _, segment := range strings.Split(path, "/") {
		if segment == "." || segment == ".." {
			// Addresses are normalised on their way: it would be another operation's path.
			return nil, errors.New("pentarch: . and .. are no names in a path")
		}
	}
	target := t.baseURL + path
	if query := c.query.Encode(); query != "" {
		target += "?" + query
	}
	length := usualTimeout
	if c.slow {
		length = slowTimeout
	}
	if t.timeout > 0 {
		length = t.timeout
	}
	if o.timeout > 0 {
		length = o.timeout
	}
	retries := t.maxRetries
	if o.maxRetries != nil {
		retries = *o.maxRetries
	}
	key := ""
	if c.method == http.MethodPost {
		key = keyOf(c, o)
	}
	// Without a key a second try could do the work twice.
	unsafe := c.method == http.MethodPost && key == ""
	afterLostAnswer, renewed := false, false
	for attempt, tries := 0, 1; ; tries++ {
		started := t.now()
		tell := func(status int, requestID string) {
			if t.log != nil {
				t.log(LogEntry{c.method, path, tries, status, requestID, t.now().Sub(started)})
			}
		}
		got, token, err := t.try(ctx, c, target, o, key, length)
		if err != nil {
			tell(0, "")
			var own errRequest
			lost := errors.Is(err, ErrConnection) || errors.Is(err, ErrTimeout)
			if errors.As(err, &own) {
				return nil, own.error
			}
			if !lost || unsafe || attempt >= retries || !mayRetry(refusal{method: c.method}) {
				return nil, err
			}
			afterLostAnswer = true
			if err := t.sleep(ctx, waitBefore(attempt, nil, t.random())); err != nil {
				return nil, err
			}
			attempt++
			continue
		}
		requestID := got.Header.Get("X-Request-ID")
		tell(got.StatusCode, requestID)
		if got.StatusCode >= 200 && got.StatusCode < 300 {
			return got, nil
		}
		body, _ := io.ReadAll(got.Body)
		got.close()
		retryAfterS := retryAfterOf(got.Header.Get("Retry-After"), t.now())
		failure := errorOfAnswer(got.StatusCode, []byte(redact(string(body), token)), requestID, retryAfterS)
		if got.StatusCode == 401 && token != "" && !renewed && t.source.Refused(token) {
			// Not counted as a retry: the token was void, the call was never tried.
			renewed = true
			continue
		}
		ours := got.Header.Get("X-API-Version") != ""
		if attempt >= retries || !mayRetry(refusal{c.method, got.StatusCode, ours, afterLostAnswer, retryAfterS}) {
			return nil, failure
		}
		if err := t.sleep(ctx, waitBefore(attempt, retryAfterS, t.random())); err != nil {
			return nil, err
		}
		attempt++
	}
}

func (t *transport) read(ctx context.Context, c call, options []CallOption) ([]byte, http.Header, error) {
	got, err := t.send(ctx, c, collect(options))
	if err != nil {
		return nil, nil, err
	}
	defer got.close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return nil, nil, got.limit.failure(ctx, err, got.token)
	}
	return body, got.Header, nil
}

func (t *transport) none(ctx context.Context, c call, options []CallOption) error {
	_, _, err := t.read(ctx, c, options)
	return err
}

func (t *transport) bytes(ctx context.Context, c call, options []CallOption) ([]byte, error) {
	c.accept = "*/*"
	body, _, err := t.read(ctx, c, options)
	return body, err
}

func (t *transport) text(ctx context.Context, c call, options []CallOption) (string, error) {
	body, err := t.bytes(ctx, c, options)
	return string(body), err
}

func getValue[T any](ctx context.Context, t *transport, c call, options []CallOption) (T, error) {
	value, _, err := getWithHeader[T](ctx, t, c, options)
	return value, err
}

func getJSON[T any](ctx context.Context, t *transport, c call, options []CallOption) (*T, error) {
	value, _, err := getWithHeader[T](ctx, t, c, options)
	if err != nil {
		return nil, err
	}
	return &value, nil
}

func getWithHeader[T any](ctx context.Context, t *transport, c call, options []CallOption) (T, http.Header, error) {
	var value T
	body, header, err := t.read(ctx, c, options)
	if err != nil {
		return value, nil, err
	}
	if err := json.Unmarshal(body, &value); err != nil {
		return value, nil, fmt.Errorf("%w: %s %s: %v", ErrProtocol, c.method, c.path, err)
	}
	return value, header, nil
}
