// Serves a GGUF file on 127.0.0.1 in the OpenAI style: a model to try the plumbing with.
//
//     npm i node-llama-cpp@3.21.1 --ignore-scripts
//     node small_model.mjs FILE.gguf [PORT] [bound]      (a copy of this file beside node_modules)
//
// POST /v1/chat/completions: messages, response_format json_schema, tools, max_tokens, seed. The
// temperature is 0, nothing is kept between requests, and they run one after the other.
// Not done: streaming, keys, tool_choice, json_object, several replies, usage. Of a schema the
// library takes every property as required. A tool is described in the library's own words, for the
// model's template has none; its arguments are not read. One thread: more wait for each other
// where the cores are shared.
// bound: an offered tool is called, can_answer is true, and there is one quote, as a stricter
// grammar would have it. It leads a model that would stop before to the end.

import { createServer } from "node:http";
import { getLlama, LlamaChat, resolveChatWrapper } from "node-llama-cpp";

const CONTEXT = 8192;
const [file, port = "8089", how] = process.argv.slice(2);
const bound = how === "bound";
const llama = await getLlama({ gpu: false, build: "never", logLevel: "error", maxThreads: 1 });
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({ contextSize: CONTEXT, threads: 1 });
const contextSequence = context.getSequence();
const chatWrapper = resolveChatWrapper(model);

/** The messages as the library's history: a tool's turn is the result of the call before it. */
function historyOf(messages) {
  const history = [];
  for (const { role, content, tool_calls: calls } of messages) {
    if (role === "system" || role === "user") history.push({ type: role, text: content });
    else if (role === "tool") history.at(-1).response.at(-1).result = content;
    else modelTurn(history).response.push(...(calls ? calls.map(callOf) : [content]));
  }
  modelTurn(history);
  return history;
}

function modelTurn(history) {
  if (history.at(-1)?.type !== "model") history.push({ type: "model", response: [] });
  return history.at(-1);
}

function callOf({ function: { name, arguments: given } }) {
  return { type: "functionCall", name, params: JSON.parse(given), result: "" };
}

async function grammarOf({ type = "text", json_schema: named } = {}) {
  if (type === "text") return undefined;
  if (type !== "json_schema") throw new RangeError(`response_format ${type} is not supported`);
  return llama.createGrammarForJsonSchema(bound ? strict(named.schema) : named.schema);
}

function strict({ properties: { quotes }, ...schema }) {
  const one = { ...quotes, minItems: 1, maxItems: 1 };
  return { ...schema, properties: { can_answer: { const: true }, quotes: one } };
}

function messageOf(text, names) {
  const calls = names.map((name, number) => (
    { id: `call_${number}`, type: "function", function: { name, arguments: "{}" } }));
  return { role: "assistant", content: text, ...(calls.length ? { tool_calls: calls } : {}) };
}

/** The next turn. No repetition penalty: a quotation repeats what stands above. */
async function turn({ messages, response_format, tools = [], max_tokens, seed }, signal) {
  const offered = tools.map(({ function: { name, description } }) => [name, { description }]);
  if (bound && offered.length) return messageOf("", [offered[0][0]]);
  await contextSequence.clearHistory();
  const chat = new LlamaChat({ contextSequence, chatWrapper, autoDisposeSequence: false });
  const said = await chat.generateResponse(historyOf(messages), {
    grammar: await grammarOf(response_format),
    functions: offered.length ? Object.fromEntries(offered) : undefined,
    contextShift: { strategy: () => { throw new RangeError("the context is full"); } },
    maxTokens: max_tokens, temperature: 0, repeatPenalty: false, seed, signal,
  });
  return messageOf(said.response, (said.functionCalls ?? []).map((call) => call.functionName));
}

let last = Promise.resolve(); // the turn before: one context serves one at a time

async function answered(request, signal) {
  const asked = JSON.parse(Buffer.concat(await request.toArray()));
  last = last.catch(() => {}).then(() => turn(asked, signal));
  return { object: "chat.completion", choices: [{ index: 0, message: await last }] };
}

createServer(async (request, response) => {
  const gone = new AbortController(); // who hangs up ends the turn
  response.on("close", () => gone.abort());
  const answer = (code, body) =>
    response.writeHead(code, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") return answer(404, {});
  try {
    answer(200, await answered(request, gone.signal));
  } catch (error) {
    answer(error instanceof RangeError ? 400 : 500, { error: { message: String(error) } });
  }
}).listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${port}`));
