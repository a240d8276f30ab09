'use strict';
// Configuration of a local server (it is the config/config.js of the tree that server.py makes).
// Whoever started it learns the port from a file, and it ends when that process does.
const fs = require('node:fs');
const net = require('node:net');

const HOST = '127.0.0.1';
const PARENT = process.ppid;
const { POKETUI_PORT, POKETUI_PORT_FILE } = process.env;
let server;

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

/** The server itself keeps battles for ten minutes: hundreds of megabytes of an evaluation. */
function forgetEndedBattles() {
	for (const room of [...global.Rooms.rooms.values()]) {
		if (room.battle && room.battle.ended && !Object.keys(room.users).length) room.destroy();
	}
}

setInterval(() => {
	if (process.ppid === PARENT) return;
	fs.rmSync(process.cwd(), { recursive: true, force: true }); // nobody else is left to do it
	process.exit();
}, 500).unref();
