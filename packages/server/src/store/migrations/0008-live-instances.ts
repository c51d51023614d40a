/**
 * Instances that beat and hold sessions: their keys, how far each side has stepped on, and why one was ended. The table
 * is made anew, since what it held lived ten minutes. It points at nothing any more: an instance outlives its script and
 * its user for as long as it takes to tell the client so.
 */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const liveInstances = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { integer, bigint, bytes, seq, table } = dialectOf(db)
    const statements = [
      'drop table instances',
      `create table instances (
        seq ${seq},
        exec text not null unique,
        project_id text not null,
        script_id text not null,
        user_key text,
        device text,
        script_version ${integer} not null,
        executor text not null,
        runtime text not null,
        game_user_id text,
        place_id text,
        job_id text,
        granted_at ${bigint} not null,
        last_seen ${bigint} not null,
        expires_at ${bigint} not null,
        secrets ${bytes},
        beat_n ${integer} not null default 0,
        beat_keys ${bytes},
        beat_body text,
        beat_reply text,
        told text,
        ws_required ${integer} not null default 0,
        ws_epoch ${bigint} not null default 0,
        ws_seen ${bigint},
        kick text
      ) ${table}`,
      'create index instances_user on instances (user_key)',
      'create index instances_script on instances (script_id)',
      'create index instances_project on instances (project_id)',
      'create index instances_expires on instances (expires_at)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
