module github.com/pentarch/pentarch/sdk/go

go 1.24
