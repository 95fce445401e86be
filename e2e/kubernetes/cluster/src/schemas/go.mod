module granary.dev/e2e/schemas

go 1.24.6
