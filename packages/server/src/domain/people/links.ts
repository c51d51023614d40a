/** Links into the dashboard for people. The secret is in the fragment, which no server and no referrer sees. */
import type { Config } from '../../config.ts'

export function invitationLink({ baseUrl = '' }: Pick<Config, 'baseUrl'>, secret: string): string {
  return `${baseUrl}/dashboard/#/invitation/${secret}`
}
