package pentarch

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
)

// Nullable is an optional field that may also be set to null: Some("text") or Null[string](); nil leaves it out.
type Nullable[T any] struct{ value *T }

// Some is a value.
func Some[T any](value T) *Nullable[T] { return &Nullable[T]{&value} }

// Null is null.
func Null[T any]() *Nullable[T] { return &Nullable[T]{} }

// MarshalJSON writes the value or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.value) }

// UnmarshalJSON reads the value or null.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &n.value) }

// Value is the value, or nil for null.
func (n *Nullable[T]) Value() *T {
	if n == nil {
		return nil
	}
	return n.value
}

func setText(values url.Values, name, value string) {
	if value != "" {
		values.Set(name, value)
	}
}

func setInteger(values url.Values, name string, value int64) {
	if value != 0 {
		values.Set(name, strconv.FormatInt(value, 10))
	}
}

func setAny[T any](values url.Values, name string, value *T) {
	if value != nil {
		values.Set(name, fmt.Sprint(*value))
	}
}
