package dev.granary.env;

import java.util.random.RandomGenerator;

/**
 * The world of one node, the network excepted.
 *
 * @param clock the node's clock
 * @param scheduler runs the node's control work, one task at a time
 * @param random source of every random decision, identifiers included; use it from scheduler tasks only
 * @param disk the node's own directory
 */
public record Environment(Clock clock, Scheduler scheduler, RandomGenerator random, Disk disk) {}
