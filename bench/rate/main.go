// SPDX-License-Identifier: Apache-2.0

// Posts a file at a fixed rate and prints the 99th percentile of the time until an answer, in milliseconds.
//
//	rate URL FILE RATE SECONDS CONNECTIONS
//
// A request counts from when it was due: one that is sent late, as all connections wait for answers, has waited too
// (Gil Tene's coordinated omission). The first second, in which the connections are made, does not count.
package main

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// pacer sleeps in the kernel, which is late by some 50 us; Go's own timers are by up to 1 ms, which would be measured.
type pacer struct {
	rate, requests uint64
}

func (p pacer) due(request uint64) time.Duration {
	return time.Duration(request) * time.Second / time.Duration(p.rate)
}

func (p pacer) Pace(elapsed time.Duration, request uint64) (time.Duration, bool) {
	if wait := p.due(request) - elapsed; wait > 0 {
		moment := syscall.NsecToTimespec(int64(wait))
		for syscall.Nanosleep(&moment, &moment) == syscall.EINTR { // the runtime's signals
		}
	}
	return 0, request == p.requests
}

func (p pacer) Rate(time.Duration) float64 { return float64(p.rate) }

func attack(url string, body []byte, p pacer, connections uint64) ([]*vegeta.Result, error) {
	attacker := vegeta.NewAttacker(vegeta.TLSConfig(&tls.Config{InsecureSkipVerify: true}), vegeta.HTTP2(false),
		vegeta.Workers(connections), vegeta.MaxWorkers(connections), vegeta.MaxBody(0))
	target := vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodPost, URL: url, Body: body,
		Header: http.Header{"Content-Type": {"application/json"}}})
	var results []*vegeta.Result
	for result := range attacker.Attack(target, p, 0, "") {
		if result.Code != http.StatusOK {
			return nil, fmt.Errorf("answered %d: %s", result.Code, result.Error)
		}
		results = append(results, result)
	}
	return results, nil
}

func percentile(results []*vegeta.Result, p pacer) time.Duration {
	first := func(r *vegeta.Result) time.Time { return r.Timestamp.Add(-p.due(r.Seq)) }
	begin := first(slices.MinFunc(results, func(a, b *vegeta.Result) int { return first(a).Compare(first(b)) }))
	var times []time.Duration
	for _, result := range results {
		if result.Seq >= p.rate {
			times = append(times, result.End().Sub(begin.Add(p.due(result.Seq))))
		}
	}
	slices.Sort(times)
	return times[(len(times)*99+99)/100-1]
}

func run(url, file string, numbers []string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var rate, seconds, connections uint64
	for i, number := range []*uint64{&rate, &seconds, &connections} {
		if *number, err = strconv.ParseUint(numbers[i], 10, 32); err != nil {
			return err
		}
	}
	p := pacer{rate, rate * (seconds + 1)}
	results, err := attack(url, body, p, connections)
	if err != nil {
		return err
	}
	fmt.Printf("%.3f\n", percentile(results, p).Seconds()*1000)
	return nil
}

func main() {
	if len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "usage: rate URL FILE RATE SECONDS CONNECTIONS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "rate:", err)
		os.Exit(1)
	}
}
