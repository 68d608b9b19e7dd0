module github.com/pentarch/pentarch/sdk/go/v2

go 1.24
