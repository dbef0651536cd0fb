<?php
// Stands in for WordPress.org, which the site cannot reach: a directory with one plugin.
const HARBOUR = 'https://downloads.wordpress.org/plugin/harbour.zip';
const HARBOUR_ZIP = 'UEsDBBQAAAAAADaIeV0L28aDLgAAAC4AAAATAAAAaGFyYm91ci9oYXJib3VyLnBocDw/cGhwCi8qIFBsdWdpbiBOYW1lOiBIYXJib3VyClZlcnNpb246IDEuMiAqLwpQSwECFAMUAAAAAAA2iHldC9vGgy4AAAAuAAAAEwAAAAAAAAAAAAAApIEAAAAAaGFyYm91ci9oYXJib3VyLnBocFBLBQYAAAAAAQABAEEAAABfAAAAAAA=';

add_filter('pre_http_request', function ($answer, $arguments, $url) {
    $is_asked = parse_url($url, PHP_URL_HOST) === 'api.wordpress.org' && str_contains($url, '/plugins/info/');
    if ($is_asked && str_contains($url, 'harbour')) {
        $known = ['name' => 'Harbour', 'slug' => 'harbour', 'version' => '1.2', 'download_link' => HARBOUR, 'language_packs' => []];
        return answered(200, json_encode($known), null);
    }
    if ($is_asked) {
        return answered(404, json_encode(['error' => 'Plugin not found.']), null);
    }
    if ($url === HARBOUR) {
        file_put_contents($arguments['filename'], base64_decode(HARBOUR_ZIP));
        return answered(200, '', $arguments['filename']);
    }
    return $answer;
}, 10, 3);

function answered($code, $body, $file) {
    return ['response' => ['code' => $code, 'message' => ''], 'headers' => [], 'cookies' => [], 'body' => $body, 'filename' => $file];
}
