/** A live session as the management API shows it, and the filter that selects sessions. */

/** A running instance that holds a connection. `exec` and `customer_id`, its owner, are not shown. */
export type Session = {
  readonly id: string
  readonly exec: string
  readonly customer_id: string
  readonly project_id: string
  readonly script_id: string
  /** Null for a device that runs a free-for-all script. */
  readonly user_key: string | null
  readonly executor: string
  readonly game_user_id: string | null
  readonly place_id: string | null
  readonly job_id: string | null
  readonly script_version: number
  /** `detached` has lost its connection and may come back for a short while. */
  readonly state: 'ready' | 'detached'
  readonly created_at: number
  readonly last_seen: number
}

/** Members that a session must have; those that are left out may be anything. */
export type SessionFilter = Partial<Omit<Session, 'state' | 'created_at' | 'last_seen'>>
