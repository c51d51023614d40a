import { type Server } from 'node:net'
/** Lets the system choose the port, and returns it. */
export declare function listenOnFreePort(server: Server, host?: string): Promise<number>
/**
 * For a server that can't choose a free port itself, or that must return on the same port.
 *
 * Outside the range that the system uses for outgoing connections. An outgoing connection could take the
 * port before its server listens. In addition, a client that keeps retrying a port in that range while
 * its server is down may connect to itself.
 */
export declare function freePort(): Promise<number>
