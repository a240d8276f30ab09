'use strict';
// Configuration of a local server (it is the config/config.js of the tree that server.py makes).
// Whoever started it learns the port from a file, and it ends when that process does.
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const { Worker } = require('node:worker_threads');

const HOST = '127.0.0.1';
const { POKETUI_PORT, POKETUI_PORT_FILE } = process.env;
let server;

// Whoever started it holds the other end of its input, which nothing but the end of that process
// closes, killed or not. A thread looks: the server's own is busy while it starts. What the folder
// holds is of no use to anybody then.
new Worker(`
	function end() {
		try {
			require('node:fs').rmSync(process.cwd(), {recursive: true, force: true});
		} finally {
			process.kill(process.pid, 'SIGKILL');
		}
	}
	new (require('node:net').Socket)({fd: 0}).on('error', end).on('close', end).resume();
`, {eval: true}).unref();

module.exports = {
	port: Number(POKETUI_PORT),
	bindaddress: HOST,
	subprocesses: 0,
	nothrottle: true,
	noguestsecurity: true,
	noipchecks: true,
	backdoor: false,
	repl: false,
	watchconfig: false,
	reportjoins: false,
	reportbattles: false,
	loguserstats: 0,
	startuphook() {
		if (!server.listening) return;
		fs.writeFileSync(`${POKETUI_PORT_FILE}.new`, String(server.address().port));
		fs.renameSync(`${POKETUI_PORT_FILE}.new`, POKETUI_PORT_FILE);
		setInterval(forgetEndedBattles, 5000).unref();
	},
};

// The port may be 0, and a failure to listen must end the server, which otherwise lives on.
const { listen } = net.Server.prototype;
net.Server.prototype.listen = function () {
	server = this;
	this.once('error', error => {
		console.error(String(error));
		process.exit(1);
	});
	return listen.call(this, Number(POKETUI_PORT), HOST);
};

// A page of another site can make a browser send requests here, and a name of its own can be made to
// mean 127.0.0.1: both are refused, before the server or its websockets hear of the request, as
// pokeTUI/serve/connections.py does. Programs, which are no browsers, send no Origin. The only page from
// elsewhere is Showdown's client, to which the server sends who opens its address as "localhost".
const OWN = '(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]{1,5})?';
const CLIENT = 'https://localhost(--[0-9]{1,5})?\\.psim\\.us';
const OWN_HOST = new RegExp(`^${OWN}$`, 'i'), OWN_ORIGIN = new RegExp(`^(https?://${OWN}|${CLIENT})$`, 'i');
const ASKED = new Set(['request', 'upgrade', 'connect', 'checkContinue', 'checkExpectation']);
const REFUSAL = 'This server answers only programs and pages of this machine.\n';

function isOwn({ rawHeaders }) {
	const named = name => rawHeaders.filter((_, at) => at % 2 && rawHeaders[at - 1].toLowerCase() === name);
	const hosts = named('host'), origins = named('origin');
	if (hosts.length !== 1 || !OWN_HOST.test(hosts[0])) return false;
	if (origins.length) return origins.every(origin => OWN_ORIGIN.test(origin));
	return !named('sec-fetch-site').includes('cross-site'); // a script is fetched without Origin
}

const { emit } = http.Server.prototype;
http.Server.prototype.emit = function (event, request, ...rest) {
	if (!ASKED.has(event) || isOwn(request)) return emit.call(this, event, request, ...rest);
	const { socket } = request;
	socket.end(
		`HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: ${REFUSAL.length}\r\n` +
		`Connection: close\r\n\r\n${REFUSAL}`, () => socket.destroy());
	return true;
};

/** The server itself keeps battles for ten minutes: hundreds of megabytes of an evaluation. */
function forgetEndedBattles() {
	for (const room of [...global.Rooms.rooms.values()]) {
		if (room.battle && room.battle.ended && !Object.keys(room.users).length) room.destroy();
	}
}
