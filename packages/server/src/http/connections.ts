/**
 * Limits open connections in total and per network, and how long a connection may stay idle. Without these
 * limits, anyone could open connections until the process has no file descriptors left for others.
 */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { networkOf } from '../platform/limits/networks.ts'

type Settings = Pick<Config, 'maxConnections' | 'maxConnectionsEach' | 'trustProxy'>

/** File descriptors reserved for databases, child processes, webhooks and files. */
const RESERVED_FILES = 256
const LEAST_CONNECTIONS = 64
/** Assumed if the system does not report its limit. */
const USUAL_CONNECTIONS = 4096
const MAX_PER_SENDER = 1000
/** Unless configured otherwise, a network never uses more than one in this many connections. */
const SHARE_OF_ONE = 4
const LOG_EVERY_MS = 60_000

export function limitConnections(
  server: Server,
  { maxConnections, maxConnectionsEach, trustProxy }: Settings,
  { log, now }: { readonly log: Pick<Logger, 'warn'>; readonly now: () => number },
): void {
  const total = maxConnections || connectionsFor(openFiles())
  const each = maxConnectionsEach || Math.min(MAX_PER_SENDER, Math.ceil(total / SHARE_OF_ONE))
  const isProxy = proxyAddr.compile([...trustProxy])
  const open = new Map<string, number>()
  const warn = occasionally(now, log)
  server.maxConnections = total
  server.on('drop', () =>
    warn({ limit: total }, 'too many open connections: new ones are rejected (SCRIPTWARD_MAX_CONNECTIONS)'),
  )
  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress
    if (peer === undefined || isProxy(peer, 0)) return
    const network = networkOf(peer)
    const count = (open.get(network) ?? 0) + 1
    if (count > each) {
      warn(
        { limit: each, network },
        'too many open connections from one IP address: new ones are rejected. If it is your proxy, add it to SCRIPTWARD_TRUST_PROXY; otherwise raise SCRIPTWARD_MAX_CONNECTIONS_PER_ADDRESS',
      )
      socket.destroy()
      return
    }
    open.set(network, count)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
  })
}

/**
 * Returns the connections on which no request has started. Node counts them as active, and stops checking
 * their timeouts when a server closes, so a single unused connection would block the shutdown forever.
 * Browsers open such connections in advance.
 */
export function unusedConnections(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>()
  const used = ({ socket }: IncomingMessage) => void unused.delete(socket)
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', used)
  server.on('upgrade', used)
  return unused
}

/** Logs each message at most once a minute, because an attack would otherwise fill the log. */
function occasionally(now: () => number, log: Pick<Logger, 'warn'>) {
  const last = new Map<string, number>()
  return (members: object, message: string): void => {
    const at = now()
    if (at < (last.get(message) ?? Number.NEGATIVE_INFINITY) + LOG_EVERY_MS) return
    last.set(message, at)
    log.warn(members, message)
  }
}

function connectionsFor(files: number | undefined): number {
  return files === undefined ? USUAL_CONNECTIONS : Math.max(LEAST_CONNECTIONS, files - RESERVED_FILES)
}

/** Returns the open-file limit of this process, or undefined if the system does not report it. */
function openFiles(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
