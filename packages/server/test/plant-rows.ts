/** Inserts rows that belong to a user or a project, as normal use would create them. */
import { insertBan } from '../src/features/bans/store/bans.ts'
import type { TestServer } from './harness.ts'

/** Inserts a denial and an earned key of a user. */
export async function plantHanging(server: TestServer, project_id: string, user_key: string): Promise<void> {
  await server.deps.db.transaction(async (tx) => {
    await tx
      .insertInto('denials')
      .values({
        ...{ project_id, user_key, script_id: 'scr_x', script_version: 1, reason: 'key_expired' },
        ...{
          ip: '203.0.*.*',
          fingerprint: 'a…b',
          executor: 'Wave',
          runtime: 'luau',
          first_at: 1,
          last_at: 2,
        },
      })
      .execute()
    await tx
      .insertInto('ad_keys')
      .values({
        project_id,
        user_key,
        system_id: 'sys_x',
        visitor: 'v',
        network: 'n',
        browser: 'b',
        created_at: 3,
      })
      .execute()
  })
}

/** Inserts a row into most of the tables that belong to a project and its script. */
export async function plantProject(server: TestServer, project_id: string, script_id: string): Promise<void> {
  const customer_id = 'cus_x'
  await server.deps.db.transaction(async (tx) => {
    await tx
      .insertInto('branding')
      .values({ project_id, name: 'Ours', logo: Buffer.from([0, 255, 7]) })
      .execute()
    await tx.insertInto('chat_members').values({ project_id, chat_id: '9', added_at: 1 }).execute()
    const ban = { id: `ban_${project_id}`, kind: 'network', value: '203.0.113.7/32', created_at: 1 } as const
    await insertBan(tx, { ...ban, project_id }, ['n:4cb007107/32'])
    await tx
      .insertInto('outcomes')
      .values({ project_id, script_id, step: 'day', at: 1, outcome: 'granted', count: 4, expires_at: 9e15 })
      .execute()
    await tx
      .insertInto('daily_executions')
      .values({ script_id, day: 1, executor: 'Wave', project_id, customer_id, count: 3 })
      .execute()
    for (const day of [0, 20_000])
      await tx
        .insertInto('version_health')
        .values({ script_id, version: 1, executor: '', day, runs: 7, crashed: 1, customers: 3 })
        .execute()
    await tx
      .insertInto('version_customers')
      .values({ script_id, version: 1, executor: '', customer: 'c', crashed: 1 })
      .execute()
    await tx
      .insertInto('execution_marks')
      .values({ script_id, script_version: 1, exec: 'e', holder: 'h', executor: 'Wave', granted_at: 5 })
      .execute()
    await tx
      .insertInto('ffa_devices')
      .values({ customer_id, project_id, device: 'd', script_id, first_seen: 1 })
      .execute()
    await tx
      .insertInto('ad_systems')
      .values({
        ...{
          id: `sys_${project_id}`,
          project_id,
          name: 'Ads',
          url: `u${project_id}`,
          key_duration: 1,
          max_keys: 1,
        },
        ...{ allow_extending: 1, max_duration: 1, created_at: 1 },
      })
      .execute()
  })
}
