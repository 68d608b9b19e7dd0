// Package pentarch is a client of the Pentarch Agent Platform API, with the standard library only.
package pentarch

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client has every resource. It is safe for use by many goroutines.
type Client struct {
	Resources
	transport *transport
}

// LogEntry tells of one try. Path has no query, which may hold what people wrote.
type LogEntry struct {
	Method string
	Path   string
	// Attempt is 1 for the first try.
	Attempt int
	// Status is 0 when no answer came.
	Status    int
	RequestID string
	Duration  time.Duration
}

// Option sets up a client.
type Option func(*transport)

// WithToken sends a token or an API key as it is.
func WithToken(token string) Option { return WithAuth(StaticToken(token)) }

// WithAuth takes tokens from a source.
func WithAuth(source TokenSource) Option { return func(t *transport) { t.source = source } }

// WithHTTPClient replaces http.DefaultClient. Its own Timeout would cut streams: leave it at 0.
func WithHTTPClient(client *http.Client) Option { return func(t *transport) { t.client = client } }

// WithV2 calls /v2 wherever an operation stands under /api/v1 too.
func WithV2() Option { return func(t *transport) { t.v2 = true } }

// WithTimeout limits one try until its whole answer is read; default 60 s, 600 s for chat, uploads and tools.
func WithTimeout(limit time.Duration) Option { return func(t *transport) { t.timeout = limit } }

// WithMaxRetries sets the tries after the first one; default 3.
func WithMaxRetries(retries int) Option { return func(t *transport) { t.maxRetries = retries } }

// WithHeader sends a header with every call.
func WithHeader(name, value string) Option { return func(t *transport) { t.header.Set(name, value) } }

// WithLog is told after each try; it never sees a token.
func WithLog(log func(LogEntry)) Option { return func(t *transport) { t.log = log } }

// New makes a client of the service at baseURL, such as https://agents.example.com.
func New(baseURL string, options ...Option) (*Client, error) {
	parsed, err := url.Parse(baseURL)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, errors.New("pentarch: the base URL must start with http:// or https:// and name a host")
	}
	if parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return nil, errors.New("pentarch: the base URL must hold no user name, password, query or fragment")
	}
	t := &transport{
		baseURL:    strings.TrimRight(baseURL, "/"),
		client:     http.DefaultClient,
		source:     StaticToken(""),
		maxRetries: 3,
		header:     http.Header{},
		sleep:      sleep,
		random:     rand.Float64,
		now:        time.Now,
	}
	for _, option := range options {
		option(t)
	}
	return &Client{newResources(t), t}, nil
}

// With gives a client with further options, over the same HTTP client and tokens where they name no other.
func (c *Client) With(options ...Option) *Client {
	t := *c.transport
	t.header = c.transport.header.Clone()
	for _, option := range options {
		option(&t)
	}
	return &Client{newResources(&t), &t}
}

// CallOption sets up one call.
type CallOption func(*callOptions)

type callOptions struct {
	timeout        time.Duration
	maxRetries     *int
	idempotencyKey string
	requestID      string
	header         http.Header
}

// CallTimeout limits one try of this call; the context limits all of it.
func CallTimeout(limit time.Duration) CallOption { return func(o *callOptions) { o.timeout = limit } }

// CallRetries sets the tries after the first one of this call.
func CallRetries(retries int) CallOption { return func(o *callOptions) { o.maxRetries = &retries } }

// IdempotencyKey replaces the one that every POST gets by itself.
func IdempotencyKey(key string) CallOption { return func(o *callOptions) { o.idempotencyKey = key } }

// RequestID names the call in logs, traces and audit rows.
func RequestID(id string) CallOption { return func(o *callOptions) { o.requestID = id } }

// CallHeader sends a header with this call.
func CallHeader(name, value string) CallOption {
	return func(o *callOptions) { o.header.Set(name, value) }
}

func collect(options []CallOption) *callOptions {
	all := &callOptions{header: http.Header{}}
	for _, option := range options {
		option(all)
	}
	return all
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Ptr is for optional fields: pentarch.Ptr("text").
func Ptr[T any](value T) *T { return &value }
