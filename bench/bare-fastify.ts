/**
 * The baseline for the server benchmark: plain Fastify with one route that returns an object or a string.
 * Arguments: the object as JSON, a port and, optionally, the URL of a PostgreSQL database. With a URL, each
 * request first makes one query through the bare driver's pool.
 */
import Fastify from 'fastify'
import pg from 'pg'

const [text = '', port = '0', databaseUrl] = process.argv.slice(2)
const app = Fastify()
const answer: object | string = JSON.parse(text)
app.get('/users/:user_key', databaseUrl === undefined ? async () => answer : withQuery(databaseUrl))
console.log(await app.listen({ host: '127.0.0.1', port: Number(port) }))

function withQuery(connectionString: string) {
  const pool = new pg.Pool({ connectionString })
  const query = { name: 'user', text: 'select * from users where key = $1' }
  return async ({ params }: { readonly params: unknown }) => {
    const { rows } = await pool.query({ ...query, values: [(params as { user_key: string }).user_key] })
    return rows.length === 1 ? answer : {}
  }
}
