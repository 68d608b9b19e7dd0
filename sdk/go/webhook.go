package pentarch

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// WebhookPayload is the body of a webhook.
type WebhookPayload struct {
	Event     string          `json:"event"`
	Timestamp string          `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// WebhookVerifier checks webhooks by the Standard Webhooks scheme.
type WebhookVerifier struct {
	// Secrets are whsec_… texts; several while one is being rotated.
	Secrets []string
	// Tolerance is how old or how far ahead a webhook may be; default 5 minutes.
	Tolerance time.Duration
	// Now is for tests.
	Now func() time.Time
}

var digits = regexp.MustCompile(`^\d+$`)

// Verify checks signature and time of a body as it was received, and parses it. Errors are ErrWebhook.
func (v WebhookVerifier) Verify(header http.Header, body []byte) (*WebhookPayload, error) {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	given := header.Get("webhook-signature")
	if id == "" || given == "" || !digits.MatchString(timestamp) {
		return nil, fmt.Errorf("%w: webhook-id, webhook-timestamp or webhook-signature is missing", ErrWebhook)
	}
	now, tolerance := time.Now, v.Tolerance
	if v.Now != nil {
		now = v.Now
	}
	if tolerance == 0 {
		tolerance = 5 * time.Minute
	}
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now().Sub(time.Unix(at, 0)).Abs() > tolerance {
		return nil, fmt.Errorf("%w: too old or too far ahead", ErrWebhook)
	}
	if !v.signed(id+"."+timestamp+".", body, given) {
		return nil, fmt.Errorf("%w: no signature matches", ErrWebhook)
	}
	var payload WebhookPayload
	if err := json.Unmarshal(body, &payload); err != nil {
		return nil, fmt.Errorf("%w: the body is no JSON", ErrWebhook)
	}
	return &payload, nil
}

func (v WebhookVerifier) signed(prefix string, body []byte, given string) bool {
	for _, secret := range v.Secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			continue
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(prefix))
		mac.Write(body)
		expected := mac.Sum(nil)
		for _, part := range strings.Split(given, " ") {
			encoded, ok := strings.CutPrefix(part, "v1,")
			signature, err := base64.StdEncoding.DecodeString(encoded)
			if ok && err == nil && hmac.Equal(expected, signature) {
				return true
			}
		}
	}
	return false
}
