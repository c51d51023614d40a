/** What the service is held against: Fastify alone, answering one object or text at one route. Started with its JSON. */
import Fastify from 'fastify'

const [text = '', port = '0'] = process.argv.slice(2)
const app = Fastify()
const answer: object | string = JSON.parse(text)
app.get('/users/:user_key', async () => answer)
console.log(await app.listen({ host: '127.0.0.1', port: Number(port) }))
