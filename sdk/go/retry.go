package pentarch

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// When a call is tried again and how long before. The same rules in all languages: sdk/vectors/retries.json.

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
	// A server that asks for more than this gets its error handed to the caller instead.
	longestRetryAfterS = 60.0
)

var seconds = regexp.MustCompile(`^\d+(\.\d+)?$`)

// retryAfterOf gives the seconds of a Retry-After header (RFC 9110, section 10.2.3); nil for none or nonsense.
func retryAfterOf(header string, now time.Time) *float64 {
	text := strings.TrimSpace(header)
	if seconds.MatchString(text) {
		value, _ := strconv.ParseFloat(text, 64)
		return &value
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return nil
	}
	value := math.Max(0, at.Sub(now).Seconds())
	return &value
}

// waitBefore: attempt is 0 after the first try; random in [0, 1) spreads clients over the upper half of the wait.
func waitBefore(attempt int, retryAfterS *float64, random float64) time.Duration {
	full := math.Min(float64(longestWait), float64(firstWait)*math.Pow(2, float64(attempt)))
	own := time.Duration(full * (0.5 + random/2))
	if retryAfterS == nil {
		return own
	}
	return max(own, time.Duration(*retryAfterS*float64(time.Second)))
}

type refusal struct {
	method string
	// 0 when no answer came.
	status int
	// The API answered, not a proxy on the way.
	ours            bool
	afterLostAnswer bool
	retryAfterS     *float64
}

// mayRetry: a POST carries an Idempotency-Key, so a lost answer is safe to ask for again. An error that the API itself
// answered with 500, 502 or 504 is not stored under the key: trying again would do the work twice, so only methods that
// are idempotent by themselves do.
func mayRetry(r refusal) bool {
	plain := r.method != http.MethodPost && r.method != http.MethodPatch
	switch {
	case r.status == 0:
		return r.method != http.MethodPatch
	case r.retryAfterS != nil && *r.retryAfterS > longestRetryAfterS:
		return false
	}
	switch r.status {
	case 408, 429, 503:
		return true
	case 409:
		return r.method == http.MethodPost && r.afterLostAnswer
	case 502, 504:
		return plain || !r.ours
	case 500:
		return plain
	}
	return false
}
