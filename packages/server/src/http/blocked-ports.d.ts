/** Ports that browsers and `fetch` refuse to connect to. Source: https://fetch.spec.whatwg.org/#port-blocking */
import type { Server } from 'node:net'
export declare function isBlocked(port: number): boolean
/**
 * Moves a server whose port the system chose to another one, if browsers refuse that port.
 *
 * @returns the port that the server listens on
 */
export declare function leaveBlockedPort(server: Server, host: string): Promise<number>
