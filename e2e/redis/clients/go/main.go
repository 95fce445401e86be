// go-redis HOST PORT FORM: what programs do with go-redis, with its default settings.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

type check struct {
	name string
	run  func(context.Context, redis.UniversalClient) error
}

var (
	checks = []check{
		{"opening", opening}, {"strings", stringValues}, {"many-keys", manyKeys}, {"expiry", expiry},
		{"hashes", hashes}, {"pipelines", pipelines}, {"transactions", transactions}, {"watch", watch},
		{"scan", scan}, {"errors", errorReplies},
	}
	prefix = fmt.Sprintf("e2e:go:%08x", rand.Uint32())
)

func main() {
	address := net.JoinHostPort(os.Args[1], os.Args[2])
	code := 0
	for _, check := range checks {
		if err := try(address, os.Args[3], check); err != nil {
			fmt.Printf("failed %s: %s\n", check.name, strings.ReplaceAll(err.Error(), "\n", " "))
			code = 1
		} else {
			fmt.Printf("ok %s\n", check.name)
		}
	}
	os.Exit(code)
}

func try(address, form string, check check) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var client redis.UniversalClient
	if form == "cluster" {
		client = redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{address}, ClientName: "e2e"})
	} else {
		client = redis.NewClient(&redis.Options{Addr: address, ClientName: "e2e"})
	}
	defer client.Close()
	return check.run(ctx, client)
}

// expect compares what a call has returned.
func expect(actual any, err error, expected any) error {
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(actual, expected) {
		return fmt.Errorf("expected %#v, got %#v", expected, actual)
	}
	return nil
}

// all returns the first failure of calls that were made already, in their order.
func all(failures ...error) error {
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

func opening(ctx context.Context, client redis.UniversalClient) error {
	pong, err := client.Ping(ctx).Result()
	if err := expect(pong, err, "PONG"); err != nil {
		return err
	}
	information, err := client.Info(ctx, "server").Result()
	return expect(strings.Contains(information, "redis_version:"), err, true)
}

func stringValues(ctx context.Context, client redis.UniversalClient) error {
	key, binary := prefix+":s", make([]byte, 256)
	for at := range binary {
		binary[at] = byte(at)
	}
	large := strings.Repeat("granary", 150_000)
	set := client.Set(ctx, key, binary, 0)
	get := client.Get(ctx, key)
	nx := client.SetNX(ctx, key, "x", 0)
	old := client.SetArgs(ctx, key, "10", redis.SetArgs{Mode: "XX", Get: true})
	incr := client.IncrBy(ctx, key, 32)
	appended := client.Append(ctx, key, "!")
	part := client.GetRange(ctx, key, 1, -1)
	none := client.Get(ctx, prefix+":none")
	setLarge := client.Set(ctx, key, large, 0)
	getLarge := client.Get(ctx, key)
	deleted := client.Del(ctx, key)
	if none.Err() != redis.Nil {
		return fmt.Errorf("expected no value of a missing key, got %v", none.Err())
	}
	return all(
		expect(set.Val(), set.Err(), "OK"), expect(get.Val(), get.Err(), string(binary)),
		expect(nx.Val(), nx.Err(), false), expect(old.Val(), old.Err(), string(binary)),
		expect(incr.Val(), incr.Err(), int64(42)), expect(appended.Val(), appended.Err(), int64(3)),
		expect(part.Val(), part.Err(), "2!"), expect(setLarge.Val(), setLarge.Err(), "OK"),
		expect(getLarge.Val() == large, getLarge.Err(), true), expect(deleted.Val(), deleted.Err(), int64(1)))
}

func manyKeys(ctx context.Context, client redis.UniversalClient) error {
	var pairs, values []any
	var keys []string
	for at := range 100 {
		keys = append(keys, fmt.Sprintf("%s:{m}:%d", prefix, at))
		values = append(values, strconv.Itoa(at))
		pairs = append(pairs, keys[at], values[at])
	}
	set := client.MSet(ctx, pairs...)
	get := client.MGet(ctx, keys...)
	exist := client.Exists(ctx, keys...)
	gone := client.Unlink(ctx, keys...)
	return all(expect(set.Val(), set.Err(), "OK"), expect(get.Val(), get.Err(), values),
		expect(exist.Val(), exist.Err(), int64(100)), expect(gone.Val(), gone.Err(), int64(100)))
}

func expiry(ctx context.Context, client redis.UniversalClient) error {
	key := prefix + ":e"
	if err := client.Set(ctx, key, "x", 200*time.Millisecond).Err(); err != nil {
		return err
	}
	left, err := client.PTTL(ctx, key).Result()
	if err := expect(left > 0 && left <= 200*time.Millisecond, err, true); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond)
	if err := client.Get(ctx, key).Err(); err != redis.Nil {
		return fmt.Errorf("expected an expired key, got %v", err)
	}
	set := client.SetEx(ctx, key, "y", 100*time.Second)
	ttl := client.TTL(ctx, key)
	persist := client.Persist(ctx, key)
	at := time.UnixMilli(time.Now().UnixMilli() + 50_000)
	expireAt := client.PExpireAt(ctx, key, at)
	moment := client.PExpireTime(ctx, key)
	value := client.GetDel(ctx, key)
	return all(expect(set.Val(), set.Err(), "OK"), expect(ttl.Val() > 98*time.Second, ttl.Err(), true),
		expect(persist.Val(), persist.Err(), true), expect(expireAt.Val(), expireAt.Err(), true),
		expect(moment.Val().Milliseconds(), moment.Err(), at.UnixMilli()), expect(value.Val(), value.Err(), "y"))
}

func hashes(ctx context.Context, client redis.UniversalClient) error {
	key := prefix + ":h"
	set := client.HSet(ctx, key, "a", "1", "b", "\x00\xff")
	get := client.HGetAll(ctx, key)
	incr := client.HIncrBy(ctx, key, "a", 41)
	some := client.HMGet(ctx, key, "a", "none")
	deleted := client.HDel(ctx, key, "b")
	length := client.HLen(ctx, key)
	gone := client.Del(ctx, key)
	return all(expect(set.Val(), set.Err(), int64(2)),
		expect(get.Val(), get.Err(), map[string]string{"a": "1", "b": "\x00\xff"}),
		expect(incr.Val(), incr.Err(), int64(42)), expect(some.Val(), some.Err(), []any{"42", nil}),
		expect(deleted.Val(), deleted.Err(), int64(1)), expect(length.Val(), length.Err(), int64(1)),
		expect(gone.Val(), gone.Err(), int64(1)))
}

func pipelines(ctx context.Context, client redis.UniversalClient) error {
	var gets []*redis.StringCmd
	var deletes []*redis.IntCmd
	key := func(at int) string { return fmt.Sprintf("%s:p:%d", prefix, at) }
	_, err := client.Pipelined(ctx, func(pipeline redis.Pipeliner) error {
		for at := range 1000 {
			pipeline.Set(ctx, key(at), at, 0)
			gets = append(gets, pipeline.Get(ctx, key(at)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for at, get := range gets {
		if err := expect(get.Val(), get.Err(), strconv.Itoa(at)); err != nil {
			return err
		}
	}
	_, err = client.Pipelined(ctx, func(pipeline redis.Pipeliner) error {
		for at := range 1000 {
			deletes = append(deletes, pipeline.Del(ctx, key(at)))
		}
		return nil
	})
	for _, gone := range deletes {
		err = all(err, expect(gone.Val(), gone.Err(), int64(1)))
	}
	return err
}

func transactions(ctx context.Context, client redis.UniversalClient) error {
	key, other := prefix+":{t}:1", prefix+":{t}:2"
	var incr *redis.IntCmd
	var get *redis.StringCmd
	_, err := client.TxPipelined(ctx, func(pipeline redis.Pipeliner) error {
		pipeline.Set(ctx, key, 1, 0)
		incr = pipeline.Incr(ctx, key)
		pipeline.Set(ctx, other, "x", 0)
		get = pipeline.Get(ctx, other)
		return nil
	})
	if err != nil {
		return err
	}
	gone := client.Del(ctx, key, other)
	return all(expect(incr.Val(), incr.Err(), int64(2)), expect(get.Val(), get.Err(), "x"),
		expect(gone.Val(), gone.Err(), int64(2)))
}

func watch(ctx context.Context, client redis.UniversalClient) error {
	key := prefix + ":{w}"
	write := func(value string, before func()) error {
		return client.Watch(ctx, func(tx *redis.Tx) error {
			if err := tx.Get(ctx, key).Err(); err != nil {
				return err
			}
			before()
			_, err := tx.TxPipelined(ctx, func(pipeline redis.Pipeliner) error {
				pipeline.Set(ctx, key, value, 0)
				return nil
			})
			return err
		}, key)
	}
	if err := client.Set(ctx, key, "1", 0).Err(); err != nil {
		return err
	}
	if err := write("2", func() {}); err != nil {
		return err
	}
	if err := write("3", func() { client.Set(ctx, key, "10", 0) }); !errors.Is(err, redis.TxFailedErr) {
		return fmt.Errorf("expected a transaction that fails because its watched key has changed, got %v", err)
	}
	value, err := client.Get(ctx, key).Result()
	return all(expect(value, err, "10"), client.Del(ctx, key).Err())
}

func scan(ctx context.Context, client redis.UniversalClient) error {
	found := make(chan string, 100_000)
	for at := range 1000 {
		if err := client.Set(ctx, fmt.Sprintf("%s:scan:%d", prefix, at), "x", 0).Err(); err != nil {
			return err
		}
	}
	scanNode := func(ctx context.Context, node *redis.Client) error {
		keys := node.Scan(ctx, 0, prefix+":scan:*", 100).Iterator()
		for keys.Next(ctx) {
			found <- keys.Val()
		}
		return keys.Err()
	}
	var err error
	if cluster, is := client.(*redis.ClusterClient); is {
		err = cluster.ForEachMaster(ctx, scanNode)
	} else {
		err = scanNode(ctx, client.(*redis.Client))
	}
	if err != nil {
		return err
	}
	close(found)
	keys := map[string]bool{}
	for key := range found {
		keys[key] = true
		client.Del(ctx, key)
	}
	return expect(len(keys), nil, 1000)
}

func errorReplies(ctx context.Context, client redis.UniversalClient) error {
	key := prefix + ":x"
	if err := client.HSet(ctx, key, "a", "1").Err(); err != nil {
		return err
	}
	for _, err := range []error{client.Incr(ctx, key).Err(), client.Do(ctx, "FOOBAR", key).Err()} {
		var reply redis.Error
		if !errors.As(err, &reply) {
			return fmt.Errorf("expected an error of the server, got %v", err)
		}
	}
	value, err := client.HGet(ctx, key, "a").Result()
	return all(expect(value, err, "1"), client.Del(ctx, key).Err())
}
