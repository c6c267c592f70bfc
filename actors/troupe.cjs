#!/usr/bin/env node
// What `npx troupe`, `npm i -g` and npm scripts start: it hands over to cli.js, on Node 24. On an older Node that is the
// one that the installation brought (node-<platform>, an optional dependency). ES5 and CommonJS: whatever Node there is
// must be able to read it, and to say what to do. kubectl runs it as `kubectl-troupe`.
'use strict';
var childProcess = require('child_process');
var fs = require('fs');
var path = require('path');

var LEAST = 24;
var INSTALLED = '../.build/actors/cli.js';

function isEnough(version) {
  return Number(version.split('.')[0]) >= LEAST;
}

/** A checkout runs its sources, an installed package what was built of them. */
function program() {
  return path.join(__dirname, fs.existsSync(path.join(__dirname, 'cli/commands.ts')) ? 'cli.js' : INSTALLED);
}

/** Path of the Node that came along; undefined: none did. npm leaves out those of other platforms. */
function ownNode() {
  var names = Object.keys(require('../package.json').optionalDependencies).filter(function (name) {
    return name.indexOf('node-') === 0;
  });
  for (var i = 0; i < names.length; i++) {
    var manifest;
    try {
      manifest = require.resolve(names[i] + '/package.json');
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
    var node = manifest && path.join(path.dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (node && isEnough(require(manifest).version) && fs.existsSync(node)) return node;
  }
  return undefined;
}

function refuse(why) {
  process.stderr.write(
    'troupe: it needs Node ' + LEAST + ' or later, and this is ' + process.version + ': ' + why + '\n'
  );
  process.exitCode = 2;
}

/** The same command, streams and signals included. */
function runOn(node) {
  var child = childProcess.spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal interrupts the child itself.
  process.on('SIGINT', function () {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  ['SIGTERM', 'SIGHUP'].forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.on('error', function (error) {
    refuse('its own one does not start (' + error.message + '); install Node ' + LEAST + ' from https://nodejs.org');
  });
  child.on('exit', function (code, signal) {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (isEnough(process.versions.node)) {
  require(program());
} else {
  var node = ownNode();
  if (node) runOn(node);
  else refuse('install it from https://nodejs.org, or install troupe again with npm and --include=optional');
}
