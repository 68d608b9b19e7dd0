package pentarch

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// TokenContext is what a source needs to ask for a token.
type TokenContext struct {
	BaseURL string
	Client  *http.Client
	Now     time.Time
}

// TokenSource is where bearer tokens come from. Token gives one that is good for the next while, or "" for none;
// Refused tells that the API refused a token and says whether a new one can be had.
type TokenSource interface {
	Token(ctx context.Context, in TokenContext) (string, error)
	Refused(token string) bool
}

// A source keeps its secrets in closures, so that printing a client shows none.
type staticToken func() string

// StaticToken sends an access token, a personal access token or an API key as it is; "" sends none. White space around
// it, such as the line end of the file that it was read from, is left out.
func StaticToken(token string) TokenSource {
	clean := strings.TrimSpace(token)
	return staticToken(func() string { return clean })
}

// errToken does not show the token.
var errToken = errors.New("pentarch: the token holds white space, a line break or other characters no token has")

// checkedToken refuses what cannot stand in a header.
func checkedToken(token string) (string, error) {
	for i := range len(token) {
		if token[i] < '!' || token[i] > '~' {
			return "", errToken
		}
	}
	return token, nil
}

func (s staticToken) Token(context.Context, TokenContext) (string, error) { return s(), nil }
func (s staticToken) Refused(string) bool                                 { return false }

// Tokens are the answer of a sign-in.
type Tokens struct {
	AccessToken  string  `json:"access_token"`
	RefreshToken string  `json:"refresh_token,omitempty"`
	ExpiresInS   float64 `json:"expires_in"`
}

// String shows no token.
func (Tokens) String() string { return "Tokens{[redacted]}" }

// GoString shows no token.
func (t Tokens) GoString() string { return t.String() }

// renewed keeps tokens until shortly before they expire; many callers at once cause one request.
type renewed struct {
	obtain func(ctx context.Context, in TokenContext, last *Tokens) (*Tokens, error)

	mutex      sync.Mutex
	tokens     *Tokens
	obtainedAt time.Time
	refused    string
}

func (r *renewed) fresh(now time.Time) bool {
	if r.tokens == nil || r.tokens.AccessToken == r.refused {
		return false
	}
	life := time.Duration(r.tokens.ExpiresInS * float64(time.Second))
	// A short-lived token is renewed when a tenth of its life is left.
	return now.Before(r.obtainedAt.Add(life - min(time.Minute, life/10)))
}

func (r *renewed) Token(ctx context.Context, in TokenContext) (string, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.fresh(in.Now) {
		tokens, err := r.obtain(ctx, in, r.tokens)
		if err != nil {
			return "", err
		}
		r.tokens, r.obtainedAt = tokens, in.Now
	}
	return r.tokens.AccessToken, nil
}

func (r *renewed) Refused(token string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.refused = token
	return true
}

func post(ctx context.Context, client *http.Client, target, contentType string, body []byte) (*Tokens, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, oauthErrorOf(text, response.StatusCode)
	}
	tokens := Tokens{ExpiresInS: 3600}
	if json.Unmarshal(text, &tokens) != nil || tokens.AccessToken == "" {
		return nil, &OAuthError{"invalid_response", "the answer has no access_token", response.StatusCode}
	}
	return &tokens, nil
}

func oauthErrorOf(text []byte, status int) error {
	if known := apiErrorFrom(text, status, "", nil); known != nil {
		return &OAuthError{known.Code, known.Message, status}
	}
	var body struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(text, &body) != nil || body.Error == "" {
		return &OAuthError{"invalid_response", "the token answer is no JSON", status}
	}
	return &OAuthError{body.Error, body.Description, status}
}

func postForm(ctx context.Context, client *http.Client, target string, form url.Values) (*Tokens, error) {
	return post(ctx, client, target, "application/x-www-form-urlencoded", []byte(form.Encode()))
}

// PasswordLogin signs in with e-mail and password at the first call (POST /v2/auth/login); later by the refresh token,
// and with the password again where that is refused.
func PasswordLogin(email, password string) TokenSource {
	return &renewed{obtain: func(ctx context.Context, in TokenContext, last *Tokens) (*Tokens, error) {
		if last != nil && last.RefreshToken != "" {
			body, _ := json.Marshal(map[string]string{"refresh_token": last.RefreshToken})
			tokens, err := post(ctx, in.Client, in.BaseURL+"/v2/auth/refresh", "application/json", body)
			var refused *OAuthError
			if err == nil || !errors.As(err, &refused) {
				return tokens, err
			}
		}
		body, _ := json.Marshal(map[string]string{"email": email, "password": password})
		return post(ctx, in.Client, in.BaseURL+"/v2/auth/login", "application/json", body)
	}}
}

// RefreshOptions go on from a sign-in by authorization code.
type RefreshOptions struct {
	ClientID string
	// AuthURL is the identity provider; default the API's own address.
	AuthURL string
	// OnTokens is called with each new pair. Keep the refresh token: the old one is void, and using it again ends the
	// session.
	OnTokens func(Tokens)
}

func issuerOf(authURL string, in TokenContext) string {
	if authURL == "" {
		return in.BaseURL
	}
	return strings.TrimRight(authURL, "/")
}

// Refreshing renews tokens by a refresh token.
func Refreshing(refreshToken string, options RefreshOptions) TokenSource {
	current := refreshToken
	return &renewed{obtain: func(ctx context.Context, in TokenContext, _ *Tokens) (*Tokens, error) {
		tokens, err := postForm(ctx, in.Client, issuerOf(options.AuthURL, in)+"/oauth/v2/token", url.Values{
			"grant_type":    {"refresh_token"},
			"refresh_token": {current},
			"client_id":     {options.ClientID},
		})
		if err != nil {
			return nil, err
		}
		if tokens.RefreshToken != "" {
			current = tokens.RefreshToken
		}
		if options.OnTokens != nil {
			options.OnTokens(Tokens{tokens.AccessToken, current, tokens.ExpiresInS})
		}
		return tokens, nil
	}}
}

type machineKey struct {
	KeyID      string `json:"keyId"`
	UserID     string `json:"userId"`
	Key        string `json:"key"`
	KeyDetails string `json:"keyDetails"`
}

var errMachineKey = errors.New("pentarch: the machine key needs keyId, userId and an RSA key in PEM")

// The file itself is secret: nothing of it goes into an error.
func parseMachineKey(file []byte) (*machineKey, *rsa.PrivateKey, error) {
	var key machineKey
	if json.Unmarshal(file, &key) != nil {
		return nil, nil, errMachineKey
	}
	if key.KeyDetails != "" {
		inner, err := base64.StdEncoding.DecodeString(key.KeyDetails)
		if err != nil || json.Unmarshal(inner, &key) != nil {
			return nil, nil, errMachineKey
		}
	}
	block, _ := pem.Decode([]byte(key.Key))
	if block == nil || key.KeyID == "" || key.UserID == "" {
		return nil, nil, errMachineKey
	}
	if private, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return &key, private, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	private, ok := parsed.(*rsa.PrivateKey)
	if err != nil || !ok {
		return nil, nil, errMachineKey
	}
	return &key, private, nil
}

// signRS256 makes a compact JWS (RFC 7515).
func signRS256(key *rsa.PrivateKey, header, claims map[string]any) (string, error) {
	encode := func(value any) string {
		text, _ := json.Marshal(value)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	content := encode(header) + "." + encode(claims)
	digest := sha256.Sum256([]byte(content))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return content + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// ServiceAccountOptions: AuthURL is the identity provider and the audience, default the API's own address.
type ServiceAccountOptions struct {
	AuthURL string
	Scope   string
}

// ServiceAccount signs an assertion with the machine key for each new token (RFC 7523). file is the decoded key, or the
// whole answer with base64 keyDetails.
func ServiceAccount(file []byte, options ServiceAccountOptions) (TokenSource, error) {
	key, private, err := parseMachineKey(file)
	if err != nil {
		return nil, err
	}
	if options.Scope == "" {
		options.Scope = "openid profile"
	}
	return &renewed{obtain: func(ctx context.Context, in TokenContext, _ *Tokens) (*Tokens, error) {
		issuer := issuerOf(options.AuthURL, in)
		assertion, err := signRS256(private, map[string]any{"alg": "RS256", "kid": key.KeyID}, map[string]any{
			"iss": key.UserID,
			"sub": key.UserID,
			"aud": issuer,
			"iat": in.Now.Unix(),
			"exp": in.Now.Unix() + 3600,
			"jti": newKey(),
		})
		if err != nil {
			return nil, err
		}
		return postForm(ctx, in.Client, issuer+"/oauth/v2/token", url.Values{
			"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"},
			"assertion":  {assertion},
			"scope":      {options.Scope},
		})
	}}, nil
}
