package pentarch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// APIError is an error answer of the API, in whichever of its two body shapes it came. Compare it with the sentinels:
// errors.Is(err, pentarch.ErrNotFound). No text ever holds a token.
type APIError struct {
	Status int
	// Code is a code of the contract's table, such as NOT_FOUND.
	Code string
	// Reason is a closer one where there is one, such as TOKEN_EXPIRED.
	Reason  string
	Message string
	Details map[string]any
	// RequestID is what an operator finds in logs, traces and audit rows.
	RequestID string
	// RetryAfterS is how many seconds the server asks to wait; nil when it did not say.
	RetryAfterS *float64
}

func (e *APIError) Error() string {
	text := fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message)
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// Is makes errors.Is work with the sentinel of a code.
func (e *APIError) Is(target error) bool {
	code, ok := target.(codeError)
	return ok && string(code) == e.Code
}

// FieldFault is a field of a request that was refused; Field is a JSON pointer.
type FieldFault struct {
	Field  string
	Reason string
}

// Fields are the fields at fault of a VALIDATION_ERROR.
func (e *APIError) Fields() []FieldFault {
	list, _ := e.Details["fields"].([]any)
	var faults []FieldFault
	for _, one := range list {
		if entry, ok := one.(map[string]any); ok {
			field, _ := entry["field"].(string)
			reason, _ := entry["reason"].(string)
			faults = append(faults, FieldFault{field, reason})
		}
	}
	return faults
}

type codeError string

func (e codeError) Error() string { return string(e) }

// The codes of the contract, for errors.Is.
const (
	ErrBadRequest           = codeError("BAD_REQUEST")
	ErrUnauthorized         = codeError("UNAUTHORIZED")
	ErrCostExceeded         = codeError("COST_EXCEEDED")
	ErrForbidden            = codeError("FORBIDDEN")
	ErrNotFound             = codeError("NOT_FOUND")
	ErrMethodNotAllowed     = codeError("METHOD_NOT_ALLOWED")
	ErrRequestTimeout       = codeError("REQUEST_TIMEOUT")
	ErrConflict             = codeError("CONFLICT")
	ErrPayloadTooLarge      = codeError("PAYLOAD_TOO_LARGE")
	ErrUnsupportedMediaType = codeError("UNSUPPORTED_MEDIA_TYPE")
	ErrValidation           = codeError("VALIDATION_ERROR")
	ErrRateLimited          = codeError("RATE_LIMITED")
	ErrInternal             = codeError("INTERNAL_ERROR")
	ErrNotImplemented       = codeError("NOT_IMPLEMENTED")
	ErrUpstream             = codeError("UPSTREAM_ERROR")
	ErrServiceUnavailable   = codeError("SERVICE_UNAVAILABLE")
	ErrUpstreamTimeout      = codeError("UPSTREAM_TIMEOUT")
)

// ErrConnection: no answer came; the request may or may not have been carried out.
var ErrConnection = errors.New("no answer")

// ErrTimeout: the time limit of the call passed. (A deadline of the context gives context.DeadlineExceeded.)
var ErrTimeout = errors.New("no whole answer in time")

// ErrProtocol: the answer was no JSON, or a stream ended so that it cannot be taken up again.
var ErrProtocol = errors.New("the answer cannot be read")

// ErrWebhook: a webhook whose signature, time or headers are not right.
var ErrWebhook = errors.New("the webhook is not genuine")

// OAuthError is the identity provider's answer to a token request (RFC 6749, section 5.2).
type OAuthError struct {
	Code        string
	Description string
	Status      int
}

func (e *OAuthError) Error() string {
	if e.Description == "" {
		return e.Code
	}
	return e.Code + ": " + e.Description
}

// For answers without a body of ours, such as those of a proxy.
var codeOfStatus = map[int]codeError{
	400: ErrBadRequest,
	401: ErrUnauthorized,
	402: ErrCostExceeded,
	403: ErrForbidden,
	404: ErrNotFound,
	405: ErrMethodNotAllowed,
	408: ErrRequestTimeout,
	409: ErrConflict,
	413: ErrPayloadTooLarge,
	415: ErrUnsupportedMediaType,
	422: ErrValidation,
	429: ErrRateLimited,
	501: ErrNotImplemented,
	502: ErrUpstream,
	503: ErrServiceUnavailable,
	504: ErrUpstreamTimeout,
}

// apiErrorFrom reads a body in shape A or B; nil where it is neither. A status of 0 means an error event of a stream,
// whose status follows from the code.
func apiErrorFrom(body []byte, status int, requestID string, retryAfterS *float64) *APIError {
	var outer map[string]any
	if json.Unmarshal(body, &outer) != nil {
		return nil
	}
	inner, nested := outer["error"].(map[string]any)
	if !nested {
		inner = outer
	}
	given, _ := inner["code"].(string)
	if given == "" {
		return nil
	}
	details, _ := inner["details"].(map[string]any)
	if details == nil {
		details = map[string]any{}
	}
	// Shape B names the table's code in `error` and the reason in `code`; shape A has the reason in the details.
	code, reason := given, ""
	if table, ok := outer["error"].(string); ok {
		code = strings.ToUpper(table)
	}
	if given == code {
		reason, _ = details["reason"].(string)
	} else {
		reason = given
	}
	if status == 0 {
		status = statusOf(code)
	}
	message, _ := inner["message"].(string)
	if message == "" {
		message = code
	}
	if own, _ := inner["request_id"].(string); own != "" {
		requestID = own
	}
	return &APIError{status, code, reason, message, details, requestID, retryAfterS}
}

func statusOf(code string) int {
	for status, known := range codeOfStatus {
		if string(known) == code {
			return status
		}
	}
	return 500
}

// errorOfAnswer is the error of any answer that is no success.
func errorOfAnswer(status int, body []byte, requestID string, retryAfterS *float64) *APIError {
	if known := apiErrorFrom(body, status, requestID, retryAfterS); known != nil {
		return known
	}
	code, known := codeOfStatus[status]
	if !known {
		code = ErrBadRequest
		if status >= 500 {
			code = ErrInternal
		}
	}
	message := fmt.Sprintf("the server answered %d without an error body", status)
	return &APIError{status, string(code), "", message, map[string]any{}, requestID, retryAfterS}
}
